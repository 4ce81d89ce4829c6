//! Work that is divided among threads, the calling one included.
//!
//! A step of a fit is several loops of some hundred microseconds or less, one after another. Rayon's
//! iterators hand each of them to a pool, and a caller outside of it sleeps until it is done: waking
//! threads then takes as long as the work. Here the caller begins at once and others help as soon as
//! they are awake; and what a thread-local watches (the tape of the tests) stays on its thread.
//!
//! Helpers linger after a loop, awake, for about as long as it takes to come to the next one. They have
//! a pool of their own: a thread that lingers takes whatever job is next, and in a pool that also has
//! whole fits to do it would begin one of those inside another, and another inside that. (A caller that
//! is itself a worker of some pool waits as rayon's workers do, and may begin other jobs of that pool.)

use std::cell::Cell;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

/// Less work than this, in records, entries or coordinates, is done by one thread: waking another
/// takes longer. This is some hundredths of a millisecond.
pub(crate) const SINGLE_THREAD_WORK: usize = 1 << 15;

/// Coordinates of a vector that are processed together: few enough to stay in a near cache, and
/// enough to be worth fetching.
pub(crate) const COORDINATES: usize = 1 << 12;

/// How many threads so much work is worth.
pub(crate) fn threads(work: usize) -> usize {
    match work < SINGLE_THREAD_WORK {
        true => 1,
        false => rayon::current_num_threads(),
    }
}

/// How long a helper stays awake for the next loop, and a caller for the last helper.
const LINGER: Duration = Duration::from_micros(150);

/// The helpers of a process: a thread per core, but for the calling one's; none if there is one core, or
/// no room for threads.
struct Helpers {
    process: u32,
    pool: Option<ThreadPool>,
}

static HELPERS: Mutex<Option<Arc<Helpers>>> = Mutex::new(None);

/// The helpers of this process. A process that was forked has none of its parent's threads, and makes
/// its own.
fn helpers() -> Arc<Helpers> {
    let mut helpers = HELPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*helpers {
        Some(ours) if ours.process == process => Arc::clone(ours),
        others => {
            // To end the pool would be to wait for threads that are not there.
            std::mem::forget(others.clone());
            let cores = thread::available_parallelism().map_or(1, NonZero::get);
            let pool = ThreadPoolBuilder::new()
                .num_threads(cores - 1)
                .thread_name(|k| format!("helper-{k}"));
            let pool = (cores > 1).then(|| pool.build().ok()).flatten();
            let new = Arc::new(Helpers { process, pool });
            *helpers = Some(Arc::clone(&new));
            new
        }
    }
}

thread_local! {
    /// Whether this helper lingers, or helps: a job that it takes meanwhile must not begin to linger, or
    /// the loop that it was helping would wait for that.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Keeps this helper awake until no loop has asked for it for a while.
fn linger() {
    if BUSY.replace(true) {
        return;
    }
    let mut idle_since = Instant::now();
    while idle_since.elapsed() < LINGER {
        match rayon::yield_now() {
            Some(Yield::Executed) => idle_since = Instant::now(),
            _ => thread::yield_now(),
        }
    }
    BUSY.set(false);
}

/// Calls `work` with each item, on about `threads` threads. Each takes the next item when it is done
/// with one.
pub(crate) fn share<I>(items: I, threads: usize, work: impl Fn(I::Item) + Sync)
where
    I: Iterator + Send,
    I::Item: Send,
{
    if threads < 2 {
        return items.for_each(work);
    }
    let helpers = helpers();
    let Some(pool) = &helpers.pool else {
        return items.for_each(work);
    };
    let helpers = pool.current_num_threads().min(threads - 1);
    let items = Mutex::new(items);
    // A panic in one thread reaches the caller when the others have finished the rest.
    let next = || items.lock().ok().and_then(|mut items| items.next());
    let help = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    let awaited = AtomicUsize::new(helpers);
    pool.in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| {
                let before = BUSY.replace(true);
                help();
                BUSY.set(before);
                awaited.fetch_sub(1, Ordering::Release);
            });
            pool.spawn(linger);
        }
        help();
        // Going to sleep and being woken takes longer than the last helper needs, if it is awake.
        let done = Instant::now();
        while awaited.load(Ordering::Acquire) > 0 && done.elapsed() < LINGER {
            thread::yield_now();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_worked_on_once_on_any_number_of_threads() {
        for threads in [0, 1, 2, 5] {
            let mut values: Vec<u64> = (0..10_000).collect();
            share(
                values.chunks_mut(7).enumerate(),
                threads,
                |(chunk, values)| {
                    values.iter_mut().for_each(|value| *value += chunk as u64);
                },
            );
            assert!((0..10_000).zip(values).all(|(i, value)| value == i + i / 7));
        }
    }
}
