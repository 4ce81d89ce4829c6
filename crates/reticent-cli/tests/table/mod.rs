//! Small tables to fit, in a temporary folder of their own.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A fresh folder, removed with all that is in it.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder; tests that run at once need different names.
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fit-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The same as a text.
    pub fn at(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file into it; its path.
    #[allow(dead_code, reason = "not every test binary writes")]
    pub fn write(&self, name: &str, content: &str) -> String {
        std::fs::write(self.path(name), content).unwrap();
        self.at(name)
    }

    /// The names of everything in it, sorted.
    #[allow(dead_code, reason = "not every test binary lists")]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Numbers from 0 to 1 that are the same on every run.
pub fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// LIBSVM text: ten features in [−1, 1], and a label that follows from them.
fn labelled(rows: usize, seed: u64, label: impl Fn(&[f64]) -> String) -> String {
    let mut next = numbers(seed);
    let mut text = String::new();
    for _ in 0..rows {
        let features: Vec<f64> = (0..10).map(|_| 2.0 * next() - 1.0).collect();
        text.push_str(&label(&features));
        for (column, value) in features.iter().enumerate() {
            let _ = write!(text, " {}:{value:.3}", column + 1);
        }
        text.push('\n');
    }
    text
}

/// The third feature decides which of two classes it is.
#[allow(dead_code, reason = "not every test binary has LIBSVM tables")]
pub fn libsvm(rows: usize, seed: u64) -> String {
    let label = |x: &[f64]| if x[2] > 0.0 { "+1" } else { "-1" }.to_owned();
    labelled(rows, seed, label)
}

/// The largest of the first three features decides which of three classes it is.
#[allow(dead_code, reason = "not every test binary has several classes")]
pub fn libsvm_classes(rows: usize, seed: u64) -> String {
    let largest = |x: &[f64]| (0..3).max_by(|a, b| x[*a].total_cmp(&x[*b])).unwrap_or(0);
    labelled(rows, seed, |x| (largest(x) + 1).to_string())
}

/// A number for a label: 10 times the third feature.
#[allow(dead_code, reason = "not every test binary has numeric targets")]
pub fn libsvm_values(rows: usize, seed: u64) -> String {
    labelled(rows, seed, |x| format!("{:.4}", 10.0 * x[2]))
}

/// A table with names: age decides, colour does not.
#[allow(dead_code, reason = "not every test binary has named columns")]
pub fn csv(rows: usize, seed: u64) -> String {
    let mut next = numbers(seed);
    let mut text = "age,colour,income,ill\n".to_owned();
    for _ in 0..rows {
        let age = (next() * 90.0).floor();
        let colour = ["red", "green", "blue"][(next() * 3.0) as usize];
        let income = (next() * 1e5).floor();
        let ill = if age > 45.0 { "yes" } else { "no" };
        let _ = writeln!(text, "{age},{colour},{income},{ill}");
    }
    text
}

/// The schema of [`csv`].
#[allow(dead_code, reason = "not every test binary has named columns")]
pub const SCHEMA: &str = r#"
version = 1
[[column]]
name = "age"
kind = "numeric"
bounds = [0, 120]
[[column]]
name = "colour"
kind = "categorical"
levels = ["red", "green"]
[[column]]
name = "income"
kind = "numeric"
bounds = [0, 200000]
[[column]]
name = "ill"
kind = "target"
classes = ["no", "yes"]
"#;
