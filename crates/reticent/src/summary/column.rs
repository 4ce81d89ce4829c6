//! The columns that can be summarised, and where their values are among sealed records.

use crate::noise::Grid;
use crate::table::{Kind, Layout, RecordBound, Schema, TargetKind, grid_for};

/// A column to summarise: all public.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryColumn {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: ColumnKind,
}

/// What a column is.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnKind {
    /// A number within a declared range.
    Numeric {
        /// Which feature; the target if `None`.
        feature: Option<u32>,
        /// The least value.
        low: f64,
        /// The greatest.
        high: f64,
        /// What the greatest is among sealed records, where the least is the negative of that.
        encoded: f64,
        /// The narrowest bin among sealed records.
        resolution: f64,
        /// How far sealing moves a value towards the middle of its range, at most.
        step: f64,
        /// What a missing value counts as; `None` if it refuses the table, or if there are none.
        missing: Option<f64>,
    },
    /// One of some levels.
    Levels {
        /// The first of its features; the classes of the target if `None`.
        first: Option<u32>,
        /// What they are called.
        levels: Vec<String>,
    },
}

/// Sealed targets are doubles in [−1, 1].
const TARGET_RESOLUTION: f64 = 1e-12;

impl SummaryColumn {
    /// All columns of a table with this layout whose rows are clipped to ±`bound`.
    pub fn all(layout: &Layout, bound: f64) -> Vec<Self> {
        match layout {
            Layout::Named(schema) => named(schema),
            Layout::Numbered { width, .. } => (0..*width as u32)
                .map(|feature| Self::numbered(layout, feature, bound))
                .collect(),
        }
    }

    /// The column of this name. (A numbered table may have more columns than can be listed.)
    pub fn find(name: &str, layout: &Layout, bound: f64) -> Option<Self> {
        match layout {
            Layout::Named(schema) => named(schema).into_iter().find(|column| column.name == name),
            Layout::Numbered { first, width } => {
                let feature = name.parse::<u32>().ok()?.checked_sub(*first)?;
                let column = Self::numbered(layout, feature, bound);
                ((feature as usize) < *width && column.name == name).then_some(column)
            }
        }
    }

    fn numbered(layout: &Layout, feature: u32, bound: f64) -> Self {
        Self {
            name: layout.name(feature as usize),
            kind: ColumnKind::feature(feature, (-bound, bound), bound, None),
        }
    }

    /// The bound that rows are clipped to, if it bounds each of their values.
    pub fn bound_of(rows: RecordBound) -> Option<f64> {
        match rows {
            RecordBound::Linf(bound) => Some(bound),
            RecordBound::L2(_) => None,
        }
    }
}

impl ColumnKind {
    fn feature(feature: u32, (low, high): (f64, f64), encoded: f64, missing: Option<f64>) -> Self {
        Self::Numeric {
            feature: Some(feature),
            low,
            high,
            encoded,
            // The grid divides a bound into at least 2¹⁹ steps.
            resolution: encoded / f64::from(1 << 19),
            step: grid_for(encoded).map_or(0.0, Grid::step),
            missing,
        }
    }
}

/// The columns of a schema, in its order: those of [`Schema::for_summary`], whose numbers are on linear
/// scales. A date is a number of days since 1970-01-01.
fn named(schema: &Schema) -> Vec<SummaryColumn> {
    let mut columns = Vec::new();
    let mut feature = 0;
    for column in schema.columns() {
        let kind = match &column.kind {
            Kind::Numeric {
                bounds,
                missing,
                indicator,
                ..
            }
            | Kind::Date {
                bounds,
                missing,
                indicator,
            } => {
                let at = feature;
                feature += 1 + u32::from(*indicator);
                let ends = (bounds.low(), bounds.high());
                ColumnKind::feature(at, ends, 1.0, missing.value(*bounds))
            }
            Kind::Categorical { levels } => {
                let first = feature;
                // The last one stands for all others.
                feature += levels.len() as u32 + 1;
                let names = &schema.features()[first as usize..feature as usize];
                let start = column.name.len() + 1;
                ColumnKind::Levels {
                    first: Some(first),
                    levels: names.iter().map(|name| name[start..].to_owned()).collect(),
                }
            }
            Kind::Target(TargetKind::Range { range, missing }) => ColumnKind::Numeric {
                feature: None,
                low: range.low(),
                high: range.high(),
                encoded: 1.0,
                resolution: TARGET_RESOLUTION,
                step: 0.0,
                missing: *missing,
            },
            Kind::Target(TargetKind::Classes { patterns, .. }) => ColumnKind::Levels {
                first: None,
                levels: patterns.iter().map(|class| class.name.clone()).collect(),
            },
            Kind::Ignored | Kind::Unit { .. } => continue,
        };
        columns.push(SummaryColumn {
            name: column.name.clone(),
            kind,
        });
    }
    columns
}
