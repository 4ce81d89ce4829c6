//! Steps that run beside others: what they print goes to a file and is shown when they are waited for.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::step::{Failure, Outcome};
use crate::target;

type Ended = (Result<Outcome, Failure>, Duration);

/// A step that was begun.
pub struct Beside<'scope> {
    name: &'static str,
    printed: PathBuf,
    thread: ScopedJoinHandle<'scope, Ended>,
}

thread_local! {
    /// Where the step of this thread prints, if it runs beside others.
    static OUTPUT: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Whether steps should end, because another one failed and nobody waits for them any more.
static STOP: AtomicBool = AtomicBool::new(false);

impl<'scope> Beside<'scope> {
    /// Begins a step.
    pub fn begin(
        scope: &'scope Scope<'scope, '_>,
        name: &'static str,
        work: impl FnOnce() -> Result<Outcome, Failure> + Send + 'scope,
    ) -> Result<Self, Failure> {
        let printed = target().join(format!("{}.log", name.replace(' ', "-")));
        let output = File::create(&printed).map_err(|error| Failure {
            reason: format!("{} could not be written: {error}", printed.display()),
            again: "cargo xtask test".to_owned(),
        })?;
        let thread = scope.spawn(move || {
            let start = Instant::now();
            OUTPUT.set(Some(output));
            (work(), start.elapsed())
        });
        Ok(Self {
            name,
            printed,
            thread,
        })
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Waits for its end and shows what it printed.
    pub fn join(self) -> Ended {
        let ended = self.thread.join().unwrap_or_else(|_| {
            let failure = Failure {
                reason: format!("the step '{}' panicked", self.name),
                again: "cargo xtask test".to_owned(),
            };
            (Err(failure), Duration::ZERO)
        });
        let printed = std::fs::read(self.printed).unwrap_or_default();
        print!("{}", String::from_utf8_lossy(&printed));
        ended
    }
}

/// Ends what runs beside.
pub fn stop() {
    STOP.store(true, Ordering::SeqCst);
}

/// Prints a line where this step does.
pub fn say(line: &str) {
    OUTPUT.with_borrow_mut(|output| match output {
        // What can not be printed is not worth a failure.
        Some(output) => drop(writeln!(output, "{line}")),
        None => println!("{line}"),
    });
}

/// How a command ended whose output goes where this step prints, if it runs beside others.
pub fn status(command: &mut Command) -> Option<std::io::Result<ExitStatus>> {
    let output = OUTPUT.with_borrow(|output| output.as_ref().map(File::try_clone))?;
    Some(output.and_then(|output| {
        let mut child = command.stdout(output.try_clone()?).stderr(output).spawn()?;
        loop {
            if STOP.load(Ordering::SeqCst) {
                child.kill()?;
            }
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }))
}
