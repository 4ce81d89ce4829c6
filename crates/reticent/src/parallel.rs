//! Work that is divided among threads, the calling one included.
//!
//! A step of a fit is several loops of some hundred microseconds or less, one after another, and
//! waking a thread that sleeps takes as long as some of them. So a fit is itself run by a thread of
//! the pool, which begins each loop at once; others help when they are awake, and stay awake for a
//! while after a loop, because the next one is near.

use std::cell::Cell;
use std::sync::Mutex;
use std::time::{Duration, Instant};

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

/// How long a thread that has helped stays awake for more.
const LINGER: Duration = Duration::from_micros(150);

thread_local! {
    static LINGERS: Cell<bool> = const { Cell::new(false) };
}

/// Runs a long piece of work, such as all steps of a fit, on a thread of the pool.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // The tape of the tests watches the releases of its own thread.
    if cfg!(test) {
        return work();
    }
    rayon::scope(|_| work())
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
    let items = Mutex::new(items);
    // A thread that panics ends the work, and the panic reaches the caller.
    let next = || items.lock().ok().and_then(|mut items| items.next());
    let help = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    rayon::in_place_scope(|scope| {
        let helper = |_: &rayon::Scope<'_>| {
            help();
            if !LINGERS.get() {
                rayon::spawn(linger);
            }
        };
        (1..threads).for_each(|_| scope.spawn(helper));
        help();
    });
}

/// Waits for more work to share, and does it, until none has come for a while. Other programs are let
/// through meanwhile.
fn linger() {
    LINGERS.set(true);
    let mut last = Instant::now();
    while last.elapsed() < LINGER {
        if let Some(rayon::Yield::Executed) = rayon::yield_now() {
            last = Instant::now();
        } else {
            std::thread::yield_now();
        }
    }
    LINGERS.set(false);
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
