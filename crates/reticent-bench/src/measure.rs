//! Medians of repeated runs, and the table that they are printed in.

use std::time::{Duration, Instant};

/// Repetitions of a measurement; odd, so that the median is one of them.
const REPETITIONS: usize = 9;
/// A repetition lasts at least this long, unless a single call is longer.
const LEAST: Duration = Duration::from_millis(20);
/// A measurement whose first call takes longer than this is repeated less often.
const LONG: Duration = Duration::from_millis(500);

/// The time of one call, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    median: f64,
    /// Half the distance between the quartiles, over the median.
    spread: f64,
}

impl Timing {
    /// The time of one of `parts` equal parts.
    pub fn per(self, parts: usize) -> Self {
        Self {
            median: self.median / parts as f64,
            ..self
        }
    }
}

/// Times `call`, which is called in bunches of a multiple of `bunch`, so that reading the
/// clock costs nothing.
pub fn time(bunch: u64, mut call: impl FnMut()) -> Timing {
    let mut run = |calls: u64| {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        start.elapsed()
    };
    let mut calls = bunch;
    let mut first = run(calls);
    while first < LEAST {
        calls *= 2;
        first = run(calls);
    }
    let repetitions = if first > LONG { 3 } else { REPETITIONS };
    let mut times: Vec<f64> = (0..repetitions)
        .map(|_| run(calls).as_secs_f64() * 1e9 / calls as f64)
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |quarter: usize| times[(repetitions - 1) * quarter / 4];
    Timing {
        median: at(2),
        spread: 0.5 * (at(3) - at(1)) / at(2),
    }
}

/// What a row's numbers are given in.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// For single draws.
    Nanoseconds,
    /// For accountants.
    Microseconds,
    /// For whole tables.
    Milliseconds,
}

impl Unit {
    fn show(self, nanoseconds: f64) -> String {
        match self {
            Self::Nanoseconds => format!("{nanoseconds:.0} ns"),
            Self::Microseconds => format!("{:.1} µs", nanoseconds / 1e3),
            Self::Milliseconds => format!("{:.3} ms", nanoseconds / 1e6),
        }
    }

    fn in_nanoseconds(self, value: f64) -> f64 {
        match self {
            Self::Nanoseconds => value,
            Self::Microseconds => value * 1e3,
            Self::Milliseconds => value * 1e6,
        }
    }
}

/// One line of the table.
#[derive(Debug)]
pub struct Row {
    name: String,
    unit: Unit,
    goal: Option<f64>,
    ours: Option<Timing>,
    opendp: Option<Timing>,
}

impl Row {
    /// A row without numbers.
    pub fn new(name: &str, unit: Unit) -> Self {
        Self {
            name: name.to_owned(),
            unit,
            goal: None,
            ours: None,
            opendp: None,
        }
    }

    /// The time that ours should not exceed, in the row's unit.
    pub fn goal(mut self, goal: f64) -> Self {
        self.goal = Some(self.unit.in_nanoseconds(goal));
        self
    }

    /// What reticent took.
    pub fn ours(mut self, timing: Timing) -> Self {
        self.ours = Some(timing);
        self
    }

    /// What OpenDP took for the same.
    pub fn opendp(mut self, timing: Timing) -> Self {
        self.opendp = Some(timing);
        self
    }

    /// Prints the row; what was not measured is a dash.
    pub fn print(self) {
        let dash = || "-".to_owned();
        let shown = |timing: Option<Timing>| {
            timing.map_or_else(dash, |Timing { median, spread }| {
                format!("{} ±{:>2.0} %", self.unit.show(median), 100.0 * spread)
            })
        };
        let ratio = match (self.ours, self.opendp) {
            (Some(ours), Some(theirs)) => format!("{:.1} ×", theirs.median / ours.median),
            _ => dash(),
        };
        let goal = match (self.goal, self.ours) {
            (Some(goal), Some(ours)) => {
                let verdict = if ours.median <= goal { "met" } else { "MISSED" };
                format!("≤ {} {verdict}", self.unit.show(goal))
            }
            _ => dash(),
        };
        println!(
            "{}",
            line(
                &self.name,
                &shown(self.ours),
                &shown(self.opendp),
                &ratio,
                &goal
            )
        );
    }
}

/// The heads of the columns. The ratio is OpenDP's time over ours.
pub fn header() -> String {
    let head = line("", "reticent", "opendp 0.16", "faster", "goal");
    format!("{head}\n{}", "─".repeat(head.chars().count() + 12))
}

fn line(name: &str, ours: &str, theirs: &str, ratio: &str, goal: &str) -> String {
    format!("{name:<40} {ours:>18} {theirs:>20} {ratio:>10}   {goal}")
}
