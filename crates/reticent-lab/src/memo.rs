//! What was already measured, in a file that grows: an interruption loses nothing.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// Jobs that run at the same time. Each has a thread of its own, outside the pool that its sums
/// are shared by, so that no job is begun inside another one's wait.
const AT_ONCE: usize = 2;

/// Figures by the name of the job that found them.
pub struct Memo {
    known: Mutex<HashMap<String, Vec<f64>>>,
    file: Mutex<File>,
    started: Instant,
    at_once: usize,
}

impl Memo {
    /// The memory of a study by this version of the program: a change of code starts afresh.
    pub fn of_this_program(study: &str, folder: &Path) -> Self {
        let program = std::env::current_exe().expect("a program knows where it is");
        let bytes = std::fs::read(program).expect("a program can be read");
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        let name = format!("{study}-{:016x}.tsv", hasher.finish());
        Self::open(&folder.join(name))
    }

    /// The memory in a file, which need not exist. A line that was cut off is forgotten.
    fn open(path: &Path) -> Self {
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let known = Mutex::new(whole.lines().filter_map(parsed).collect());
        // What is left of a line must not run into the next.
        std::fs::write(path, whole).expect("the memory can be written");
        let file = OpenOptions::new().append(true).open(path);
        Self {
            known,
            file: Mutex::new(file.expect("the memory can be written")),
            started: Instant::now(),
            at_once: AT_ONCE,
        }
    }

    /// The same, whose jobs run one after another: where they take much memory, or their time is a figure.
    #[must_use]
    pub fn one_by_one(self) -> Self {
        Self { at_once: 1, ..self }
    }

    /// The figures of every job, in the order of the names: remembered, or found by `run`. A name
    /// is found once, whichever part asks for it.
    pub fn all(
        &self,
        part: &str,
        names: &[String],
        run: impl Fn(usize) -> Vec<f64> + Sync,
    ) -> Vec<Vec<f64>> {
        let open: Vec<usize> = (0..names.len())
            .filter(|&i| !self.known().contains_key(&names[i]))
            .collect();
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(names.len() - open.len());
        std::thread::scope(|scope| {
            for _ in 0..self.at_once {
                scope.spawn(|| {
                    while let Some(&i) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let began = Instant::now();
                        let figures = run(i);
                        self.keep(&names[i], &figures);
                        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                        let progress = format!("{part} {done}/{}: {}", names.len(), names[i]);
                        self.tell(&progress, began, &figures);
                        self.known().insert(names[i].clone(), figures);
                    }
                });
            }
        });
        let known = self.known();
        names.iter().map(|name| known[name].clone()).collect()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Vec<f64>>> {
        self.known.lock().expect("no job panicked")
    }

    fn keep(&self, key: &str, figures: &[f64]) {
        let mut line = key.to_owned();
        for figure in figures {
            line += &format!("\t{figure}");
        }
        line += "\n";
        let mut file = self.file.lock().expect("no job panicked");
        file.write_all(line.as_bytes())
            .and_then(|()| file.flush())
            .expect("the memory can be written");
    }

    fn tell(&self, progress: &str, began: Instant, figures: &[f64]) {
        let shown: Vec<String> = figures
            .iter()
            .take(8)
            .map(|figure| format!("{figure:.3}"))
            .collect();
        let more = if figures.len() > 8 { " …" } else { "" };
        eprintln!(
            "{:5.0} s  {progress} ({:.1} s): {}{more}",
            self.started.elapsed().as_secs_f64(),
            began.elapsed().as_secs_f64(),
            shown.join(" "),
        );
    }
}

/// A job and its figures; none if the line is damaged.
fn parsed(line: &str) -> Option<(String, Vec<f64>)> {
    let (key, figures) = line.split_once('\t')?;
    let figures: Result<Vec<f64>, _> = figures.split('\t').map(str::parse).collect();
    Some((key.to_owned(), figures.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        let name = format!("reticent-lab-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        path
    }

    fn names() -> Vec<String> {
        ["one", "two", "three"].map(str::to_owned).to_vec()
    }

    #[test]
    fn jobs_that_are_remembered_are_not_run_again() {
        let path = place("memo");
        let figures = |i: usize| vec![i as f64 + 0.1, f64::NAN];
        let first = Memo::open(&path).all("part", &names()[..2], figures);
        let ran = AtomicUsize::new(0);
        let again = Memo::open(&path).all("part", &names(), |i| {
            ran.fetch_add(1, Ordering::Relaxed);
            figures(i)
        });
        assert_eq!(ran.into_inner(), 1);
        let bits =
            |all: &[Vec<f64>]| -> Vec<u64> { all.concat().iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(&first), bits(&again[..2]));
        assert_eq!(again[2][0], 2.1);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_that_was_cut_off_is_forgotten_and_found_again() {
        let path = place("cut");
        Memo::open(&path).all("part", &names(), |i| vec![i as f64, 0.25]);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 4]).unwrap();
        let memo = Memo::open(&path);
        assert_eq!(memo.known().len(), 2);
        memo.all("part", &names(), |_| vec![7.0]);
        let after = Memo::open(&path);
        assert_eq!(after.known().len(), 3);
        assert_eq!(after.known().values().filter(|f| **f == [7.0]).count(), 1);
        std::fs::remove_file(path).unwrap();
    }
}
