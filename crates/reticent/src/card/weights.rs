//! The largest weights of a model, as bars.

use std::fmt::Write;

use super::format_number::significant;
use super::style::{ALARM, BAR, NAME, bar};
use super::text_layout::{cut, printable};
use crate::model::Model;

/// Columns of the longest bar.
const BAR_WIDTH: usize = 20;

/// Columns of a class's name before a feature's.
const CLASS_WIDTH: usize = 16;

/// Columns of a feature's name.
const FEATURE_WIDTH: usize = 36;

/// At most so many of the largest weights, as bars; for several functions with their class.
pub fn weights(out: &mut String, model: &Model, most: usize) {
    let names = model.class_names().unwrap_or_default();
    let predictor = model.predictor();
    let several = predictor.scores() > 1;
    let of_class = |class: usize, text: &str| match several {
        true => {
            let class = cut(&printable(names[class]), CLASS_WIDTH);
            format!("{class}: {}", cut(text, FEATURE_WIDTH))
        }
        false => cut(text, FEATURE_WIDTH),
    };
    let mut all: Vec<(usize, u32, f64)> = (0..predictor.scores())
        .flat_map(|class| {
            let weights = predictor.weights(class).iter();
            weights.map(move |&(j, w)| (class, j, w))
        })
        .collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    let count = all.len();
    all.truncate(most);
    let title = match count {
        0 => "No weights except the intercept".to_owned(),
        _ if count <= most => "Weights, the largest first".to_owned(),
        _ => format!("The {most} largest of {count} weights"),
    };
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "\n{NAME}{title}{NAME:#}");
    let rows: Vec<(String, f64)> = (all.into_iter())
        .map(|(class, column, weight)| {
            let feature = printable(&model.feature_name(column as usize));
            (of_class(class, &feature), weight)
        })
        .collect();
    // The intercepts of many classes are in the JSON.
    let intercepts: Vec<(String, f64)> = (0..predictor.scores())
        .take(most)
        .map(|class| (of_class(class, "(intercept)"), predictor.intercept(class)))
        .collect();
    let width = rows
        .iter()
        .chain(&intercepts)
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default();
    let most = rows.first().map_or(1.0, |(_, weight)| weight.abs());
    for (name, weight) in &rows {
        let style = if *weight < 0.0 { ALARM } else { BAR };
        let _ = writeln!(
            out,
            "  {name:<width$}  {:>11}  {style}{}{style:#}",
            significant(*weight, 4),
            bar(weight.abs() / most, BAR_WIDTH)
        );
    }
    for (name, intercept) in intercepts {
        let _ = writeln!(out, "  {name:<width$}  {:>11}", significant(intercept, 4));
    }
}
