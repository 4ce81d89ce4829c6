//! Ctrl-C: the process exits at once if nothing has begun, a fit stops at its next step (or at once
//! if Ctrl-C is pressed again), and a file that is being written is finished first.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// What a Ctrl-C would interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Nothing is spent and nothing is written: the process may exit at once.
    Free,
    /// Steps are being charged: the fit stops at the next.
    Fitting,
    /// A file is put in place within milliseconds, and then the command is done.
    Writing,
}

/// The exit code of an interrupted command, as in shells.
pub const CODE: u8 = 130;

static PHASE: AtomicU8 = AtomicU8::new(Phase::Free as u8);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler of Ctrl-C. Where the system does not allow that, it ends the process, as
/// usual; no file is half-written either way.
pub fn install_handler() {
    let _ = ctrlc::set_handler(|| {
        let again = ASKED.swap(true, Ordering::SeqCst);
        let phase = PHASE.load(Ordering::SeqCst);
        if phase == Phase::Free as u8 || (phase == Phase::Fitting as u8 && again) {
            leave();
        }
    });
}

/// Enters this phase.
pub fn enter(phase: Phase) {
    PHASE.store(phase as u8, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

fn leave() -> ! {
    let mut err = anstream::stderr();
    // After the ^C or the progress bar that the terminal shows.
    let newline = if std::io::stderr().is_terminal() {
        "\n"
    } else {
        ""
    };
    let message = if PHASE.load(Ordering::SeqCst) == Phase::Free as u8 {
        "interrupted; nothing was spent, and no file was written"
    } else {
        "interrupted; what was charged stays spent, and no model was written"
    };
    // Nothing can be reported if standard error is closed.
    let _ = writeln!(err, "{newline}error: {message}");
    std::process::exit(i32::from(CODE));
}
