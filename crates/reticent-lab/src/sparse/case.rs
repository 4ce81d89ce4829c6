//! The tables to classify, and what is declared about each.

use std::path::Path;
use std::sync::Arc;

use reticent::fit::{Facts, Task};
use reticent::table::{RecordBound, Table, Target};

use super::SEEDS;
use crate::file::Lazy;
use crate::split::parts;
use crate::synthetic::{Source, paper_logistic};

/// A table to learn from and one to measure on, with what is declared about their rows.
pub struct Case {
    pub name: &'static str,
    pub rows: RecordBound,
    pub task: Task,
    parts: Parts,
    /// How many seeds a model without noise has: one where none draws records, and few where a
    /// fit takes long.
    pub baselines: u64,
}

/// All cases, each read once.
pub struct Cases {
    pub a9a: Case,
    pub mushrooms: Case,
    pub kddcup99: Case,
    pub kddcup99_small: Case,
    pub covtype: Case,
    pub synthetic: Case,
    pub splice: Case,
    pub colon: Case,
    pub gisette: Case,
    pub leu: Case,
    pub dorothea: Case,
    pub dexter: Case,
    pub reuters: Case,
    pub news20: Case,
    pub news20_classes: Case,
}

impl Cases {
    /// The cases whose files are in a folder; a file is read when it is needed.
    pub fn new(data: &Path) -> Self {
        let kddcup99 = Case::kddcup99(data);
        Self {
            a9a: Case::a9a(data),
            mushrooms: Case::mushrooms(data),
            kddcup99_small: kddcup99.sixty_thousand(),
            kddcup99,
            covtype: Case::covtype(data),
            synthetic: Case::synthetic(),
            splice: Case::splice(data),
            colon: Case::colon(data),
            gisette: Case::gisette(data),
            leu: Case::leu(data),
            dorothea: Case::dorothea(data),
            dexter: Case::dexter(data),
            reuters: Case::reuters(data),
            news20: Case::news20(data),
            news20_classes: Case::news20_classes(data),
        }
    }
}

/// Where the two tables come from.
enum Parts {
    /// A file each: seeds differ in their noise only.
    Files(Arc<Lazy>, Arc<Lazy>),
    /// One file, of which a seed draws so many records to learn from; four fifths if `None`.
    Split(Arc<Lazy>, Option<usize>),
    /// Both made up, by the seed.
    Made,
}

/// Seeds of a model without noise on a large table.
const FEW: u64 = 2;
const LINF: RecordBound = RecordBound::Linf(1.0);
const L2: RecordBound = RecordBound::L2(1.0);
/// Gene expressions that were standardised by their publishers: three deviations.
const STANDARDISED: RecordBound = RecordBound::Linf(3.0);

impl Case {
    fn files(data: &Path, name: &'static str, columns: usize, rows: RecordBound) -> Self {
        let table = |name: &str| Arc::new(Lazy::new(data, name, columns));
        let parts = Parts::Files(table(name), table(&format!("{name}.t")));
        let task = Task::Logistic;
        Self {
            name,
            rows,
            task,
            parts,
            baselines: 1,
        }
    }

    fn split(name: &'static str, table: Lazy, rows: RecordBound) -> Self {
        let (parts, task) = (Parts::Split(Arc::new(table), None), Task::Logistic);
        Self {
            name,
            rows,
            task,
            parts,
            baselines: SEEDS,
        }
    }

    fn a9a(data: &Path) -> Self {
        Self::files(data, "a9a", 123, LINF)
    }

    fn mushrooms(data: &Path) -> Self {
        Self::split("mushrooms", Lazy::new(data, "mushrooms", 112), LINF)
    }

    fn kddcup99(data: &Path) -> Self {
        let table = Lazy {
            columns: None,
            schema: Some(include_str!("../../../../docs/schemas/kddcup99.toml")),
            ..Lazy::new(data, "kddcup99-10pct.csv", 0)
        };
        Self {
            baselines: FEW,
            ..Self::split("kddcup99", table, LINF)
        }
    }

    /// As many records to learn from as in the paper on Sparsifier.
    fn sixty_thousand(&self) -> Self {
        let Parts::Split(table, _) = &self.parts else {
            unreachable!("kddcup99 is one file");
        };
        Self {
            name: "kddcup99, 60 000 records",
            parts: Parts::Split(Arc::clone(table), Some(60_000)),
            baselines: SEEDS,
            ..*self
        }
    }

    /// Type 2 against the rest, as in the binary table of LIBSVM; the first 20 000 rows only.
    fn covtype(data: &Path) -> Self {
        let table = Lazy {
            classes: Some("other=*,lodgepole pine=2"),
            columns: None,
            schema: Some(include_str!("../../../../docs/schemas/covtype.toml")),
            ..Lazy::new(data, "covtype-20k.csv", 0)
        };
        Self::split("covtype-20k", table, LINF)
    }

    fn synthetic() -> Self {
        Self {
            name: "synthetic",
            rows: RecordBound::Linf(3.0),
            task: Task::Logistic,
            parts: Parts::Made,
            baselines: SEEDS,
        }
    }

    fn splice(data: &Path) -> Self {
        Self::files(data, "splice", 60, RecordBound::Linf(4.0))
    }

    fn colon(data: &Path) -> Self {
        Self::split(
            "colon-cancer",
            Lazy::new(data, "colon-cancer", 2000),
            STANDARDISED,
        )
    }

    fn gisette(data: &Path) -> Self {
        Self::split(
            "gisette_scale.t",
            Lazy::new(data, "gisette_scale.t", 5000),
            LINF,
        )
    }

    fn leu(data: &Path) -> Self {
        Self::files(data, "leu", 7129, STANDARDISED)
    }

    fn dorothea(data: &Path) -> Self {
        Self::files(data, "dorothea", 100_000, LINF)
    }

    /// Counts of words, scaled to at most 999 by their publishers.
    fn dexter(data: &Path) -> Self {
        Self::files(data, "dexter", 20_000, RecordBound::L2(999.0))
    }

    fn reuters(data: &Path) -> Self {
        Self::files(data, "reuters-moneyfx", 8315, L2)
    }

    /// Class 10 or below against the rest.
    fn news20(data: &Path) -> Self {
        let table = Lazy {
            classes: Some("above 10=*,to 10=1|2|3|4|5|6|7|8|9|10"),
            ..Lazy::new(data, "news20", 62_061)
        };
        Self {
            baselines: FEW,
            ..Self::split("news20, class ≤ 10", table, L2)
        }
    }

    /// All 20 classes.
    fn news20_classes(data: &Path) -> Self {
        let classes = Some("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20");
        let table = Lazy {
            classes,
            several: true,
            ..Lazy::new(data, "news20", 62_061)
        };
        Self {
            task: Task::Multinomial { classes: 20 },
            baselines: 1,
            ..Self::split("news20, 20 classes", table, L2)
        }
    }

    /// The columns of the weights that are not zero in truth, where that is known.
    pub fn truth(&self) -> Option<std::ops::Range<u32>> {
        let known = matches!(self.parts, Parts::Made);
        known.then_some(0..crate::synthetic::PAPER_WEIGHTS.len() as u32)
    }

    /// To learn from, and to measure on.
    pub fn tables(&self, seed: u64) -> (Table<'static>, Table<'static>) {
        match &self.parts {
            Parts::Files(train, test) => (train.get().clone(), test.get().clone()),
            Parts::Split(table, _) => parts(table.get(), self.records(), seed),
            Parts::Made => {
                let mut source = Source::new(seed);
                let train = paper_logistic(self.records(), &mut source);
                (train, paper_logistic(10_000, &mut source))
            }
        }
    }

    /// What is public about the table to learn from.
    pub fn facts(&self) -> Facts {
        let columns = match &self.parts {
            Parts::Files(table, _) | Parts::Split(table, _) => table.get().features.width(),
            Parts::Made => 100,
        };
        Facts {
            records: self.records() as u64,
            columns,
            rows: self.rows,
        }
    }

    /// How many records there are to learn from.
    fn records(&self) -> usize {
        match &self.parts {
            Parts::Files(train, _) => train.get().features.rows(),
            Parts::Split(table, first) => {
                first.unwrap_or_else(|| table.get().features.rows() * 4 / 5)
            }
            Parts::Made => 8_000,
        }
    }
}

/// The classes of a table's records.
pub fn classes<'a>(table: &'a Table) -> &'a [u32] {
    match &table.target {
        Target::Classes { class, .. } => class,
        _ => unreachable!("tables of cases have classes"),
    }
}
