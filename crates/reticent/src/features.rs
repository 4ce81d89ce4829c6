//! Fixed, public maps from rows to features, which come before a linear model: the crate
//! `reticent-features`, under one name with the rest.
//!
//! [`Table::map_features`](crate::table::Table::map_features) maps a table;
//! [`FitRequest::features`](crate::train::FitRequest::features) asks for a model of features.

pub use reticent_features::*;
