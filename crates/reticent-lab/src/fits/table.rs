//! Tables of figures by ε and rival, and their summary.

use super::BUDGETS;
use super::case::Case;
use super::figure::Figure;
use super::rivals::{OURS, Rival};
use crate::chart::{Axis, Chart, Line, Point, Scale};
use crate::page::note;
use crate::summary::Summary;

/// The figures of a case, seed by seed, as they were found.
pub struct Found {
    pub by_seed: Vec<Vec<f64>>,
    /// How many figures a fit has.
    pub figures: usize,
}

/// A figure of a fit, seed by seed, and its mean.
#[derive(Clone)]
struct Cell {
    by_seed: Vec<f64>,
    summary: Summary,
}

impl Cell {
    fn of(by_seed: Vec<f64>) -> Self {
        Self {
            summary: Summary::of(&by_seed),
            by_seed,
        }
    }

    fn mean(&self) -> f64 {
        self.summary.mean
    }
}

/// One figure of a case.
pub struct Table {
    figure: Figure,
    names: Vec<&'static str>,
    /// By budget, then by rival.
    cells: Vec<Vec<Cell>>,
    without_privacy: Summary,
    truth: Option<Summary>,
}

impl Found {
    /// The table of the figure at a place; for a rival it has the best setting.
    pub fn table(&self, at: usize, figure: Figure, rivals: &[Rival]) -> Table {
        let mut place = at;
        let mut next = || {
            let all: Vec<f64> = self.by_seed.iter().map(|found| found[place]).collect();
            place += self.figures;
            Cell::of(all)
        };
        let mut cells = vec![Vec::new(); BUDGETS.len()];
        for rival in rivals {
            for row in &mut cells {
                let all = rival.settings.iter().map(|_| next());
                let best = all.reduce(|a, b| {
                    if figure.better(b.mean(), a.mean()) {
                        b
                    } else {
                        a
                    }
                });
                row.push(best.expect("a rival has a setting"));
            }
        }
        let (without_privacy, truth) = (next().summary, next().summary);
        Table {
            figure,
            names: rivals.iter().map(|rival| rival.name).collect(),
            cells,
            without_privacy,
            // The error of the truth is meaningless.
            truth: (figure != Figure::Error && truth.mean.is_finite()).then_some(truth),
        }
    }
}

impl Table {
    /// The place of the best of a row.
    fn best(&self, row: &[Cell]) -> usize {
        let better = |a: usize, b: usize| {
            let wins = self.figure.better(row[b].mean(), row[a].mean());
            if wins { b } else { a }
        };
        (0..row.len()).reduce(better).unwrap_or(0)
    }

    /// Writes it.
    pub fn write(&self, page: &mut String) {
        let heads: String = self.names.iter().map(|name| format!(" {name} |")).collect();
        note(page, &format!("\n| {}, ε |{heads}", self.figure.name()));
        note(page, &format!("|---|{}", "---|".repeat(self.names.len())));
        for (epsilon, row) in BUDGETS.iter().zip(&self.cells) {
            let best = self.best(row);
            let cell = |(at, Cell { summary, .. }): (usize, &Cell)| match at == best {
                true => format!(" **{summary}** |"),
                false => format!(" {summary} |"),
            };
            let cells: String = row.iter().enumerate().map(cell).collect();
            note(page, &format!("| {epsilon} |{cells}"));
        }
        let truth = self
            .truth
            .map_or_else(String::new, |truth| format!("; the true weights: {truth}"));
        let line = format!("\nWithout privacy: {}{truth}.", self.without_privacy);
        note(page, &line);
    }

    /// Draws it.
    pub fn chart(&self, title: &str) -> Chart {
        let point = |(x, summary): (f64, Summary)| Point {
            x,
            mean: summary.mean,
            deviation: summary.deviation,
        };
        let line = |(m, name): (usize, &&str)| Line {
            name: (*name).to_owned(),
            points: BUDGETS
                .into_iter()
                .zip(self.cells.iter().map(|row| row[m].summary))
                .map(point)
                .collect(),
            dashed: false,
        };
        let mut lines: Vec<Line> = self.names.iter().enumerate().map(line).collect();
        let level = Summary {
            deviation: 0.0,
            ..self.without_privacy
        };
        lines.push(Line {
            name: "without privacy".to_owned(),
            points: BUDGETS.into_iter().map(|x| point((x, level))).collect(),
            dashed: true,
        });
        Chart {
            title: title.to_owned(),
            x: Axis {
                label: "ε, δ = 1/n²",
                scale: Scale::Logarithmic,
            },
            y: Axis {
                label: self.figure.name(),
                scale: match self.figure {
                    Figure::Error => Scale::Logarithmic,
                    _ => Scale::Linear,
                },
            },
            lines,
        }
    }
}

/// Who wins, task by task.
#[derive(Default)]
pub struct Verdict {
    tasks: Vec<Standing>,
}

/// How often each rival of a task is best, and where ours is beaten.
struct Standing {
    task: &'static str,
    names: Vec<&'static str>,
    level: Vec<usize>,
    rows: usize,
    beaten: Vec<String>,
}

impl Verdict {
    /// Counts a table.
    pub fn add(&mut self, case: &Case, table: &Table) {
        let task = case.task.name();
        if self.tasks.last().is_none_or(|last| last.task != task) {
            self.tasks.push(Standing {
                task,
                names: table.names.clone(),
                level: vec![0; table.names.len()],
                rows: 0,
                beaten: Vec::new(),
            });
        }
        let standing = self.tasks.last_mut().expect("pushed where there was none");
        for (epsilon, row) in BUDGETS.iter().zip(&table.cells) {
            standing.count(*epsilon, row, case, table);
        }
    }

    /// Writes it.
    pub fn write(&self, page: &mut String) {
        note(page, "\n## Verdict\n");
        note(
            page,
            "How often each is best, or within two standard errors of the best (of the mean difference, \
             seed by seed, as all see the same records), over all tables and ε of a task.",
        );
        for standing in &self.tasks {
            standing.write(page);
        }
    }
}

impl Standing {
    fn count(&mut self, epsilon: f64, row: &[Cell], case: &Case, table: &Table) {
        let best = table.best(row);
        let winner = &row[best].by_seed;
        let beaten = |one: &Cell| table.figure.clearly_better(winner, &one.by_seed);
        self.rows += 1;
        for (level, cell) in self.level.iter_mut().zip(row) {
            *level += usize::from(!beaten(cell));
        }
        let ours = self.names.iter().position(|name| *name == OURS);
        if let Some(ours) = ours.map(|at| &row[at]).filter(|ours| beaten(ours)) {
            self.beaten.push(format!(
                "- {}, {} at ε = {epsilon}: {} {:.4}, {OURS} {:.4}",
                case.name,
                table.figure.name(),
                self.names[best],
                row[best].mean(),
                ours.mean()
            ));
        }
    }

    fn write(&self, page: &mut String) {
        note(
            page,
            &format!(
                "\n### {}\n\n| fit | of {} |\n|---|---|",
                self.task, self.rows
            ),
        );
        for (name, level) in self.names.iter().zip(&self.level) {
            note(page, &format!("| {name} | {level} |"));
        }
        if !self.names.contains(&OURS) {
            return;
        }
        let line = match &self.beaten[..] {
            [] => format!(
                "\n`{OURS}` is best, or within two standard errors of the best, everywhere."
            ),
            all => format!(
                "\n**`{OURS}` is beaten** by more than that:\n\n{}",
                all.join("\n")
            ),
        };
        note(page, &line);
    }
}
