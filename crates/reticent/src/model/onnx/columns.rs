//! The part of a graph that encodes the raw columns of a schema, as `table/read/encode.rs` does.
//!
//! Numbers are encoded in doubles, all columns of them side by side, by the same operations in the same
//! order, and rounded to floats at the end: so they are the same features, to the bit where the
//! scale is linear. Levels are found by the texts of the schema, and by the texts that other
//! programs write for the same number or truth value; a column whose levels are all numbers is one of
//! numbers here, too.

use super::builder::Graph;
use super::proto::Type;
use crate::table::{Bounds, Column, Key, Kind, MissingNumber, Position, Scale, Schema};

/// The columns of numbers, side by side.
#[derive(Default)]
struct Numbers {
    /// What the graph calls each.
    names: Vec<String>,
    positions: Vec<Position>,
    stand_ins: Vec<f64>,
    dates: Vec<bool>,
}

/// Which of the columns that the graph makes is which feature, and how many it makes.
#[derive(Default)]
struct Places {
    /// Parts of the encoded row, by name.
    parts: Vec<String>,
    width: usize,
    /// By feature, the place in the parts.
    order: Vec<i64>,
}

impl Places {
    fn part(&mut self, name: &str, width: usize) {
        self.parts.push(name.to_owned());
        self.width += width;
    }

    fn features(&mut self, first: usize, count: usize) {
        let places = first..first + count;
        // There are fewer features than 2³².
        self.order.extend(places.map(|place| place as i64));
    }
}

impl Graph<'_> {
    /// Encoded rows, made from one input per column of the schema.
    pub(super) fn columns(&mut self, schema: &Schema, output: &str) {
        let numbers = self.number_inputs(schema);
        let count = numbers.names.len();
        let mut places = Places::default();
        if count > 0 {
            self.positions(&numbers, schema);
            places.part("positions", count);
            places.part("missing_flags", count);
        }
        let mut number = 0;
        for (at, column) in schema.columns().iter().enumerate() {
            match &column.kind {
                Kind::Numeric { indicator, .. } | Kind::Date { indicator, .. } => {
                    places.features(number, 1);
                    if *indicator {
                        places.features(count + number, 1);
                    }
                    number += 1;
                }
                Kind::Categorical { levels } => {
                    let part = format!("levels_{at}");
                    self.levels(column, levels, &part);
                    places.features(places.width, levels.len() + 1);
                    places.part(&part, levels.len() + 1);
                }
                Kind::Ignored | Kind::Unit { .. } | Kind::Target(_) => {}
            }
        }
        let parts: Vec<&str> = places.parts.iter().map(String::as_str).collect();
        let axis = [("axis", 1)];
        self.node_with("Concat", &parts, "parts", &axis);
        self.integers("feature_places", &places.order);
        self.node_with("Gather", &["parts", "feature_places"], output, &axis);
    }

    /// The inputs that are numbers or dates.
    fn number_inputs(&mut self, schema: &Schema) -> Numbers {
        let mut numbers = Numbers::default();
        for (at, column) in schema.columns().iter().enumerate() {
            let (bounds, scale, missing, date): (Bounds, Scale, MissingNumber, bool) = match column
                .kind
            {
                Kind::Numeric {
                    bounds,
                    scale,
                    missing,
                    ..
                } => (bounds, scale, missing, false),
                Kind::Date {
                    bounds, missing, ..
                } => (bounds, Scale::Linear, missing, true),
                Kind::Categorical { .. } | Kind::Ignored | Kind::Unit { .. } | Kind::Target(_) => {
                    continue;
                }
            };
            let about = match date {
                false => "A number; NaN where it is missing.",
                true => "Days since 1970-01-01; NaN where the date is missing.",
            };
            let name = format!("number_{at}");
            self.input(&column.name, Type::Double, about, &name);
            let position = Position::new(bounds, scale);
            numbers.names.push(name);
            numbers.positions.push(position);
            // A graph cannot refuse.
            let stand_in = missing.position(position).unwrap_or(0.0);
            numbers.stand_ins.push(f64::from(stand_in));
            numbers.dates.push(date);
        }
        numbers
    }

    /// `positions` of all numbers in [−1, 1] and `missing_flags`, 1 where one is missing.
    fn positions(&mut self, numbers: &Numbers, schema: &Schema) {
        let names: Vec<&str> = numbers.names.iter().map(String::as_str).collect();
        let axis = [("axis", 1)];
        self.node_with("Concat", &names, "raw_numbers", &axis);
        self.missing(numbers, schema);
        let values = self.values(numbers);
        let part =
            |of: fn(&Position) -> f64| -> Vec<f64> { numbers.positions.iter().map(of).collect() };
        let shape = [1, names.len()];
        self.doubles("lows", &shape, &part(|p| p.parts().0.low()));
        self.doubles("highs", &shape, &part(|p| p.parts().0.high()));
        self.doubles("middles", &shape, &part(|p| p.parts().2));
        self.doubles("halves", &shape, &part(|p| p.parts().3));
        self.doubles("stand_ins", &shape, &numbers.stand_ins);
        self.doubles("left_end", &[], &[-1.0]);
        self.doubles("right_end", &[], &[1.0]);
        self.node("Sub", &[values, "middles"], "from_middles");
        self.node("Div", &["from_middles", "halves"], "unclipped_positions");
        let ends = ["unclipped_positions", "left_end", "right_end"];
        self.node("Clip", &ends, "inner_positions");
        // The ends exactly, as rounding may miss them.
        self.node("GreaterOrEqual", &["whole_numbers", "highs"], "at_highs");
        self.node("LessOrEqual", &["whole_numbers", "lows"], "at_lows");
        self.node(
            "Where",
            &["at_highs", "right_end", "inner_positions"],
            "below_highs",
        );
        self.node(
            "Where",
            &["at_lows", "left_end", "below_highs"],
            "clipped_positions",
        );
        self.node(
            "Where",
            &["missing", "stand_ins", "clipped_positions"],
            "double_positions",
        );
        self.cast("double_positions", "positions", Type::Float);
        self.cast("missing", "missing_flags", Type::Float);
    }

    /// `missing`: NaN, and the numbers that the schema lists as missing, which no date is.
    fn missing(&mut self, numbers: &Numbers, schema: &Schema) {
        self.node("IsNaN", &["raw_numbers"], "missing_0");
        let listed =
            schema
                .missing()
                .iter()
                .filter_map(|text| match Key::of_text(text.as_bytes()) {
                    Key::Number(bits) => Some(f64::from_bits(bits)),
                    Key::Text(_) => None,
                });
        let mut last = "missing_0".to_owned();
        for (at, number) in listed.enumerate() {
            let (listed, next) = (format!("listed_{at}"), format!("missing_{}", at + 1));
            // NaN is equal to nothing: dates have no such number.
            let each: Vec<f64> = (numbers.dates.iter())
                .map(|&date| if date { f64::NAN } else { number })
                .collect();
            self.doubles(&listed, &[1, each.len()], &each);
            let equal = format!("is_{listed}");
            self.node("Equal", &["raw_numbers", &listed], &equal);
            self.node("Or", &[&last, &equal], &next);
            last = next;
        }
        self.node("Identity", &[&last], "missing");
    }

    /// What positions are measured by: `whole_numbers`, which are the days of dates, or their
    /// logarithms where a column asks for them.
    fn values(&mut self, numbers: &Numbers) -> &'static str {
        let flags = |of: &dyn Fn(usize) -> bool| -> Vec<f64> {
            let flags = (0..numbers.dates.len()).map(|at| f64::from(u8::from(of(at))));
            flags.collect()
        };
        let shape = [1, numbers.dates.len()];
        // A time of day is cut off.
        self.doubles("date_flags", &shape, &flags(&|at| numbers.dates[at]));
        self.cast("date_flags", "are_dates", Type::Bool);
        self.node("Floor", &["raw_numbers"], "floors");
        self.node(
            "Where",
            &["are_dates", "floors", "raw_numbers"],
            "whole_numbers",
        );
        let log = |at: usize| numbers.positions[at].parts().1 == Scale::Log;
        if !(0..numbers.dates.len()).any(log) {
            return "whole_numbers";
        }
        // The logarithm of what lies above the lower bound; other columns have none.
        let floors: Vec<f64> = (0..numbers.dates.len())
            .map(|at| match log(at) {
                true => numbers.positions[at].parts().0.low(),
                false => 1.0,
            })
            .collect();
        self.doubles("log_flags", &shape, &flags(&log));
        self.cast("log_flags", "are_logs", Type::Bool);
        self.doubles("log_lows", &shape, &floors);
        self.node("Max", &["whole_numbers", "log_lows"], "above_log_lows");
        self.node("Log", &["above_log_lows"], "logs");
        self.node(
            "Where",
            &["are_logs", "logs", "whole_numbers"],
            "values_or_logs",
        );
        "values_or_logs"
    }

    /// One feature for each level of a column, and one for everything else, as `part`.
    fn levels(&mut self, column: &Column, levels: &[String], part: &str) {
        let numbers: Option<Vec<f64>> = (levels.iter())
            .map(|level| match Key::of_text(level.as_bytes()) {
                Key::Number(bits) => Some(f64::from_bits(bits)),
                Key::Text(_) => None,
            })
            .collect();
        let named = |what: &str| format!("{part}_{what}");
        let (raw, flags) = (named("raw"), named("flags"));
        match numbers {
            Some(numbers) => {
                let about = "The number of a category; NaN where it is missing.";
                self.input(&column.name, Type::Double, about, &raw);
                let (codes, found, known) = (named("codes"), named("found"), named("known"));
                let (any, other) = (named("any"), named("other"));
                self.doubles(&codes, &[1, numbers.len()], &numbers);
                self.node("Equal", &[&raw, &codes], &found);
                self.cast(&found, &known, Type::Float);
                self.reduce("ReduceMax", &known, &any);
                let one = named("one");
                self.floats(&one, &[], &[1.0]);
                self.node("Sub", &[&one, &any], &other);
                self.node_with("Concat", &[&known, &other], part, &[("axis", 1)]);
            }
            None => {
                let about = "A category; an empty text where it is missing.";
                self.input(&column.name, Type::Text, about, &raw);
                // There are fewer levels than 2³² features.
                let other = levels.len() as i64;
                let (place, places) = (named("place"), named("places"));
                self.look_up(&raw, &spellings(levels), other, &place);
                self.integers(&places, &(0..=other).collect::<Vec<_>>());
                self.node("Equal", &[&place, &places], &flags);
                self.cast(&flags, part, Type::Float);
            }
        }
    }
}

/// The texts of each level, with its place: as declared, and as other programs write the same number or
/// truth value.
fn spellings(levels: &[String]) -> Vec<(String, i64)> {
    let mut found: Vec<(String, i64)> = Vec::new();
    for (level, place) in levels.iter().zip(0..) {
        let key = Key::of_text(level.as_bytes());
        let mut texts = vec![level.clone()];
        match key {
            Key::Number(bits) => {
                let number = f64::from_bits(bits);
                texts.extend([format!("{number}"), format!("{number:?}")]);
            }
            Key::Text(_) => {
                texts.extend(key.truth_spellings().iter().map(|&text| text.to_owned()));
            }
        }
        texts.sort_unstable();
        texts.dedup();
        found.extend(texts.into_iter().map(|text| (text, place)));
    }
    found
}
