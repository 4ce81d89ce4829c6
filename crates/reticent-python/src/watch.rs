//! Watching a fit from Python: progress, and Ctrl-C, without holding the interpreter.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyBaseException, PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use reticent::fit::ProgressObserver;
use reticent::privacy::Statement;
use reticent::table::FeaturesError;
use reticent::train::{RunCost, TrainError};

use crate::error::value_error;
use crate::privacy::charges::Charge;
use crate::threads::inside;

/// The interval between checks for signals: short enough for Ctrl-C, and long enough to cost
/// nothing.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

pyo3::create_exception!(
    reticent,
    FitInterrupted,
    PyKeyboardInterrupt,
    "A fit was stopped, and what was charged stays spent.\n\n\
     A fit that has begun counts as its whole plan, however much of it was done.\n\n\
     Attributes\n----------\n\
     epsilon, delta : float\n    What this run costs.\n\
     rho : float or None\n    The same in ρ, if the budget was in ρ.\n\
     charges : tuple of Charge\n    The releases that it counts as.\n\
     done, total : int\n    How many steps were done, and planned.\n\n\
     Examples\n--------\n\
     >>> from reticent import FitInterrupted\n\
     >>> issubclass(FitInterrupted, KeyboardInterrupt)\n\
     True\n"
);

pyo3::create_exception!(
    reticent,
    FitFailed,
    PyValueError,
    "A fit failed after noise may have been drawn: there is no model, but the run counts.\n\n\
     Attributes\n----------\n\
     epsilon, delta : float\n    What this run costs.\n\
     rho : float or None\n    The same in ρ, if the budget was in ρ.\n\n\
     Examples\n--------\n\
     >>> from reticent import FitFailed\n\
     >>> issubclass(FitFailed, ValueError)\n\
     True\n"
);

/// The progress of a fit, and whether it is to stop.
#[derive(Default)]
struct Steps {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

impl ProgressObserver for &Steps {
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.unless_stopped()
    }

    fn mapping(&mut self, _: f64) -> ControlFlow<()> {
        self.unless_stopped()
    }
}

impl Steps {
    fn unless_stopped(&self) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Watches a fit for Python.
pub struct FitWatcher {
    /// Called with the steps done and planned.
    progress: Option<Py<PyAny>>,
    steps: Steps,
    /// What stopped the fit.
    error: Option<PyErr>,
}

impl FitWatcher {
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            progress,
            steps: Steps::default(),
            error: None,
        }
    }

    /// Steps planned.
    pub fn total(&self) -> u64 {
        self.steps.total.load(Ordering::Relaxed)
    }

    /// Runs a fit on other threads, and meanwhile waits on this one for signals, as it may be the
    /// only one that Python notifies of Ctrl-C.
    pub fn listen<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn ProgressObserver) -> T + Send,
    ) -> PyResult<T> {
        let Self {
            progress,
            steps,
            error,
        } = self;
        let steps = &*steps;
        py.detach(|| {
            thread::scope(|scope| {
                let (sender, receiver) = channel();
                let fit = move || {
                    // The receiver still exists.
                    let _ = sender.send(inside(|| work(&mut &*steps)));
                };
                thread::Builder::new().spawn_scoped(scope, fit)?;
                loop {
                    match receiver.recv_timeout(CHECK_INTERVAL) {
                        Ok(done) => return done,
                        Err(RecvTimeoutError::Timeout) => {}
                        // Panics are caught inside the work.
                        Err(RecvTimeoutError::Disconnected) => {
                            return Err(PyRuntimeError::new_err("a thread of the engine is gone"));
                        }
                    }
                    if error.is_none()
                        && let Err(raised) = check_signals_and_report(progress.as_ref(), steps)
                    {
                        *error = Some(raised);
                        steps.stop.store(true, Ordering::Relaxed);
                    }
                }
            })
        })
    }

    /// Reports the cost if Ctrl-C came too late to stop the fit.
    pub fn check_interrupted(&self, py: Python<'_>, statement: &Statement) -> PyResult<()> {
        py.check_signals().map_err(|error| {
            let message = format!(
                "interrupted when the fit was done; what was charged stays spent: count this run \
                 as {}",
                RunCost::of(statement)
            );
            let exception = interrupted(py, &message, statement, self.total(), self.total());
            exception.set_cause(py, Some(error));
            exception
        })
    }

    /// Why there is no model, as an exception.
    pub fn exception(&mut self, py: Python<'_>, error: TrainError) -> PyErr {
        match error {
            TrainError::Stopped {
                done,
                total,
                ref statement,
            } => {
                let exception = interrupted(py, &error.to_string(), statement, done, total);
                exception.set_cause(py, self.error.take());
                exception
            }
            TrainError::Features(FeaturesError::Stopped) => {
                let exception = PyKeyboardInterrupt::new_err(error.to_string());
                exception.set_cause(py, self.error.take());
                exception
            }
            TrainError::Spent { cost, .. } => failed(py, &error.to_string(), cost),
            error => value_error(error),
        }
    }
}

/// Lets Python handle signals, and reports progress.
fn check_signals_and_report(progress: Option<&Py<PyAny>>, steps: &Steps) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        match progress {
            Some(progress) => {
                let done = steps.done.load(Ordering::Relaxed);
                let total = steps.total.load(Ordering::Relaxed);
                progress.call1(py, (done, total)).map(drop)
            }
            None => Ok(()),
        }
    })
}

/// The exception of a fit that was stopped, with what it cost.
fn interrupted(
    py: Python<'_>,
    message: &str,
    statement: &Statement,
    done: u64,
    total: u64,
) -> PyErr {
    let exception = FitInterrupted::new_err(message.to_owned());
    let value = exception.value(py);
    let set_attributes = || -> PyResult<()> {
        set_cost(value, RunCost::of(statement))?;
        let charges = Charge::all(&statement.charges);
        value.setattr("charges", pyo3::types::PyTuple::new(py, charges)?)?;
        value.setattr("done", done)?;
        value.setattr("total", total)
    };
    // An exception takes attributes; if memory is exhausted, its message still says what it cost.
    let _ = set_attributes();
    exception
}

/// The exception of a fit that failed, with what it cost.
pub fn failed(py: Python<'_>, message: &str, cost: RunCost) -> PyErr {
    let exception = FitFailed::new_err(message.to_owned());
    // As above.
    let _ = set_cost(exception.value(py), cost);
    exception
}

/// Sets the cost of a run on its exception.
fn set_cost(exception: &Bound<'_, PyBaseException>, cost: RunCost) -> PyResult<()> {
    exception.setattr("epsilon", cost.epsilon)?;
    exception.setattr("delta", cost.delta.get())?;
    exception.setattr("rho", cost.rho)
}
