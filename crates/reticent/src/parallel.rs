//! Work that is divided among threads, the calling one included.
//!
//! A step of a fit is several loops of some hundred microseconds or less, one after another. Rayon's
//! iterators hand each of them to a pool, and a caller outside of it sleeps until it is done: waking
//! threads then takes as long as the work. Here the caller begins at once and others help as soon as
//! they are awake; and what a thread-local watches (the tape of the tests) stays on its thread.

use std::sync::Mutex;

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
        (1..threads).for_each(|_| scope.spawn(|_| help()));
        help();
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
