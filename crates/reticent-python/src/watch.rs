//! A fit under Python's eyes: progress, and Ctrl-C, without holding the interpreter.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyBaseException, PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use reticent::fit::Watch;
use reticent::privacy::Statement;
use reticent::train::{Cost, TrainError};

use crate::error::value_error;
use crate::privacy::charges::Charge;
use crate::threads::inside;

/// So often someone looks up: soon enough for a hand on the keyboard, and too seldom to be felt.
const OFTEN: Duration = Duration::from_millis(50);

pyo3::create_exception!(
    reticent,
    FitInterrupted,
    PyKeyboardInterrupt,
    "A fit was stopped, and what was charged stays spent.\n\n\
     A fit that has begun counts as its whole plan, whatever was done of it.\n\n\
     Attributes\n----------\n\
     epsilon, delta : float\n    What this run is to be counted as.\n\
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
     epsilon, delta : float\n    What this run is to be counted as.\n\
     rho : float or None\n    The same in ρ, if the budget was in ρ.\n\n\
     Examples\n--------\n\
     >>> from reticent import FitFailed\n\
     >>> issubclass(FitFailed, ValueError)\n\
     True\n"
);

/// How far a fit has come, and whether it is to stop.
#[derive(Default)]
struct Steps {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

impl Watch for &Steps {
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Who watches a fit.
pub struct Looking {
    /// Called with the steps done and planned.
    progress: Option<Py<PyAny>>,
    steps: Steps,
    /// What stopped the fit.
    error: Option<PyErr>,
}

impl Looking {
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

    /// Does the work of a fit on other threads, and meanwhile listens on this one, which may be the
    /// only one that Python tells of Ctrl-C.
    pub fn listen<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Watch) -> T + Send,
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
                    // Whoever waits for it is still there.
                    let _ = sender.send(inside(|| work(&mut &*steps)));
                };
                thread::Builder::new().spawn_scoped(scope, fit)?;
                loop {
                    match receiver.recv_timeout(OFTEN) {
                        Ok(done) => return done,
                        Err(RecvTimeoutError::Timeout) => {}
                        // Panics are caught inside the work.
                        Err(RecvTimeoutError::Disconnected) => {
                            return Err(PyRuntimeError::new_err("a thread of the engine is gone"));
                        }
                    }
                    if error.is_none()
                        && let Err(heard) = look(progress.as_ref(), steps)
                    {
                        *error = Some(heard);
                        steps.stop.store(true, Ordering::Relaxed);
                    }
                }
            })
        })
    }

    /// A Ctrl-C that came too late to stop the fit must not lose what it cost.
    pub fn heard(&self, py: Python<'_>, statement: &Statement) -> PyResult<()> {
        py.check_signals().map_err(|error| {
            let message = format!(
                "interrupted when the fit was done; what was charged stays spent: count this run \
                 as {}",
                Cost::of(statement)
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
            TrainError::Spent { cost, .. } => failed(py, &error.to_string(), cost),
            error => value_error(error),
        }
    }
}

/// Lets Python hear signals, and shows how far the fit has come.
fn look(progress: Option<&Py<PyAny>>, steps: &Steps) -> PyResult<()> {
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
    let told = || -> PyResult<()> {
        tell(value, Cost::of(statement))?;
        let charges = Charge::all(&statement.charges);
        value.setattr("charges", pyo3::types::PyTuple::new(py, charges)?)?;
        value.setattr("done", done)?;
        value.setattr("total", total)
    };
    // An exception takes attributes; if memory is out, its message tells all the same.
    let _ = told();
    exception
}

/// The exception of a fit that failed, with what it cost.
pub fn failed(py: Python<'_>, message: &str, cost: Cost) -> PyErr {
    let exception = FitFailed::new_err(message.to_owned());
    // As above.
    let _ = tell(exception.value(py), cost);
    exception
}

/// Writes what a run is to be counted as on its exception.
fn tell(exception: &Bound<'_, PyBaseException>, cost: Cost) -> PyResult<()> {
    exception.setattr("epsilon", cost.epsilon)?;
    exception.setattr("delta", cost.delta.get())?;
    exception.setattr("rho", cost.rho)
}
