//! Progress bars on standard error, if it is a terminal and the work takes a while.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reticent::fit::ProgressObserver;

use crate::interrupt;

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that appears once the work has taken a while. It is hidden where standard error is not a
/// terminal, and removed when dropped.
pub struct Progress {
    bar: ProgressBar,
    since: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// For reading a file, as a share of it: its size would reveal the number of its records, which
    /// may be private.
    pub fn reading(path: &Path) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str());
        Self::new(
            format!("Reading {}", name.to_string_lossy()),
            "{msg} {wide_bar} {percent} %, {eta} left",
        )
    }

    /// For computing features, as a share: the number of rows may be private. (The share comes in tenths.)
    fn mapping() -> Self {
        Self::new(
            "Computing features".to_owned(),
            "{msg} {wide_bar} {percent} %, {eta} left",
        )
    }

    /// Of a fit, in steps.
    fn fitting() -> Self {
        Self::new(
            "Fitting".to_owned(),
            "{msg} {wide_bar} step {pos} of {len}, {eta} left",
        )
    }

    fn new(message: String, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        // The templates above are valid; otherwise the default style would do.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        bar.set_message(message);
        Self {
            bar,
            since: Instant::now(),
            shown: AtomicBool::new(false),
        }
    }

    /// Sets the progress of the work.
    pub fn at(&self, done: u64, total: u64) {
        if self.since.elapsed() < PATIENCE {
            return;
        }
        if !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The bars of a fit, one after the other: features, if there are any to compute, then steps.
#[derive(Default)]
pub struct FitProgress {
    mapping: Option<Progress>,
    fitting: Option<Progress>,
}

/// A fit stops at the step after Ctrl-C, or at the next tenth of the rows that features are computed of.
impl ProgressObserver for FitProgress {
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.mapping = None;
        let bar = self.fitting.get_or_insert_with(Progress::fitting);
        bar.at(done, total);
        unless_interrupted()
    }

    fn mapping(&mut self, share: f64) -> ControlFlow<()> {
        const WHOLE: f64 = 100.0;
        let bar = self.mapping.get_or_insert_with(Progress::mapping);
        bar.at((share * WHOLE).round() as u64, WHOLE as u64);
        unless_interrupted()
    }
}

fn unless_interrupted() -> ControlFlow<()> {
    if interrupt::asked() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
