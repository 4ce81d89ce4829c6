//! Work without the interpreter, on threads that exist.
//!
//! The engine shares its work among the threads of Rayon's global pool. A process that was forked has
//! the pool of its parent, but none of its threads: whatever waits for them waits forever. So a
//! child makes a pool of its own.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::value_error;

/// The process that the module was loaded in.
static HOME: OnceLock<u32> = OnceLock::new();
/// The pool of a process that was forked from it.
static OWN: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers the process; called when the module is loaded.
pub fn at_home() {
    HOME.get_or_init(process::id);
}

/// Runs work of the engine with the interpreter released.
pub fn free<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| inside(work))
}

/// Runs work of the engine on a thread of the pool: from there its parts are shared without waking
/// another thread, which makes a fit of many short steps faster.
pub fn inside<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    match own()? {
        None => Ok(rayon::scope(|_| work())),
        Some(pool) => Ok(pool.install(work)),
    }
}

/// The pool to use, if it is not the global one.
fn own() -> PyResult<Option<Arc<ThreadPool>>> {
    let here = process::id();
    if HOME.get() == Some(&here) {
        return Ok(None);
    }
    // A panic while it was locked leaves it unchanged.
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*own
        && *process == here
    {
        return Ok(Some(Arc::clone(pool)));
    }
    let pool = ThreadPoolBuilder::new().build().map_err(value_error)?;
    let pool = Arc::new(pool);
    // The pool of a parent has no threads to end: to drop it would wait for them.
    std::mem::forget(own.replace((here, Arc::clone(&pool))));
    Ok(Some(pool))
}
