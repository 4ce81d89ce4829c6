//! A schema that a person has yet to fill in.

use std::fmt::{self, Display, Formatter};

use super::{Bounds, VERSION};

/// The texts that a template lists as missing: a convention, whatever the file.
pub(crate) const MISSING: [&str; 3] = ["", "?", "NA"];

/// What is known about a table from its header alone, and what a person chose to take from its
/// values. Displayed, it is a schema in TOML with gaps; until they are filled in,
/// [`Schema::from_toml`](super::Schema::from_toml) refuses it and says which they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Whether the first line of a text file holds the names.
    pub header: bool,
    /// What separates the fields of a text file.
    pub delimiter: u8,
    /// The columns in order.
    pub columns: Vec<DraftColumn>,
}

/// A column of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftColumn {
    /// What it is called.
    pub name: String,
    /// Whether it is what is to be predicted.
    pub target: bool,
    /// What is proposed.
    pub proposal: Proposal,
}

/// What a draft can say about a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// Nothing.
    Unknown,
    /// The file's metadata declare numbers.
    Numbers,
    /// The file's metadata declare dates or times.
    Dates,
    /// The file's metadata declare text.
    Texts,
    /// The least and the greatest value of the data: not private.
    Bounds(Bounds),
    /// The levels, or the classes, of the data: not private.
    Levels(Vec<String>),
}

const HEAD: &str = "\
# A schema: what the columns of the table are, from public knowledge. Whatever is filled in here
# becomes part of the model and is published with it. Bounds and levels are what any such table
# can hold, never the minimum, maximum or values of this one: those would reveal records.
# docs/guide/schema.md explains every key.
";

const CHOICE: &str = "\
# Choose one:
# kind = \"numeric\"
# bounds = [LOW, HIGH]
# kind = \"date\"
# bounds = [\"YYYY-MM-DD\", \"YYYY-MM-DD\"]
# kind = \"categorical\"
# levels = [\"…\", \"…\"]
# kind = \"ignored\"
# kind = \"target\"  # at most one column, with classes = [\"NEGATIVE\", \"POSITIVE\"] or range = [LOW, HIGH]
";

const NUMBERS: &str = "\
kind = \"numeric\"
bounds = []  # fill in: what any such table can hold, never this one's minimum and maximum
";

const DATES: &str = "\
kind = \"date\"
bounds = []  # fill in: the first and the last day that any such table can hold
";

const TEXTS: &str = "\
kind = \"categorical\"
levels = []  # fill in: what any such table can hold; anything else counts as \"other\"
";

const TARGET: &str = "\
kind = \"target\"
# Choose one:
# classes = [\"NEGATIVE\", \"POSITIVE\"]  # also \"a|b|c\", or \"name=*\" for all other labels
# range = [LOW, HIGH]
";

impl Display for Draft {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let delimiter = char::from(self.delimiter).to_string();
        writeln!(f, "{HEAD}version = {VERSION}")?;
        match self.header {
            true => writeln!(f, "header = true  # the first line holds the names")?,
            false => writeln!(f, "header = false  # the columns come in the order below")?,
        }
        writeln!(f, "delimiter = {}", quoted(&delimiter))?;
        writeln!(
            f,
            "missing = {}  # texts that mean \"missing\"",
            list(&MISSING)
        )?;
        self.columns
            .iter()
            .try_for_each(|column| write!(f, "\n{column}"))
    }
}

impl Display for DraftColumn {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "[[column]]\nname = {}", quoted(&self.name))?;
        match (&self.proposal, self.target) {
            (Proposal::Unknown, false) => write!(f, "{CHOICE}"),
            (Proposal::Numbers, false) => write!(f, "{NUMBERS}"),
            (Proposal::Dates, false) => write!(f, "{DATES}"),
            (Proposal::Texts, false) => write!(f, "{TEXTS}"),
            (Proposal::Unknown | Proposal::Numbers | Proposal::Dates | Proposal::Texts, true) => {
                write!(f, "{TARGET}")
            }
            (Proposal::Bounds(bounds), target) => {
                let (kind, key) = match target {
                    false => ("numeric", "bounds"),
                    true => ("target", "range"),
                };
                let ends = format!("[{:?}, {:?}]", bounds.low(), bounds.high());
                write!(f, "kind = \"{kind}\"\n{key} = {ends}\nsource = \"data\"\n")
            }
            (Proposal::Levels(levels), target) => {
                let (kind, key) = match target {
                    false => ("categorical", "levels"),
                    true => ("target", "classes"),
                };
                let levels = list(levels);
                write!(
                    f,
                    "kind = \"{kind}\"\n{key} = {levels}\nsource = \"data\"\n"
                )
            }
        }
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn list(texts: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}
