//! The engine as a Python module, `reticent._engine`: thin bindings, one folder per subject.
//!
//! Users see `python/reticent`, which re-exports it under its public names. There are no privacy
//! rules here: numbers are checked by the engine's own types, and its messages become those of
//! Python's exceptions.

mod command;
mod error;
mod features;
mod model;
mod options;
mod plan;
mod privacy;
mod request;
mod schema;
mod summary;
mod threads;
mod watch;

/// The engine of the package `reticent`, in Rust.
#[pyo3::pymodule]
mod _engine {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::options::methods;
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::privacy::account::{Account, account, total_rho};
    #[pymodule_export]
    use crate::privacy::budget::Budget;
    #[pymodule_export]
    use crate::privacy::calibrate::{Calibrated, calibrate};
    #[pymodule_export]
    use crate::privacy::certificate::Certificate;
    #[pymodule_export]
    use crate::privacy::charges::Charge;
    #[pymodule_export]
    use crate::privacy::compose::compose;
    #[pymodule_export]
    use crate::privacy::event::Event;
    #[pymodule_export]
    use crate::privacy::verification::{Check, Verification};

    #[pymodule_export]
    use crate::request::{FitRequest, map_in_full};
    #[pymodule_export]
    use crate::schema::{Schema, people};
    #[pymodule_export]
    use crate::summary::summarise;
    #[pymodule_export]
    use crate::watch::{FitFailed, FitInterrupted};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::threads::at_home();
        module.add("AFTER_LOOK", reticent::table::AFTER_LOOK)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
