//! How parameters are written where a request comes from.

/// How parameters are written where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterStyle {
    /// `--target-range`, `--method select`.
    Flags,
    /// `target_range`, `method='select'`.
    Arguments,
}

impl ParameterStyle {
    /// A parameter.
    pub fn name(self, parameter: &str) -> String {
        match (self, parameter) {
            (Self::Flags, _) => format!("--{parameter}"),
            (Self::Arguments, "rows") => "row_bound".to_owned(),
            (Self::Arguments, _) => parameter.replace('-', "_"),
        }
    }

    /// A parameter with a number.
    pub fn value(self, parameter: &str, value: impl std::fmt::Display) -> String {
        match self {
            Self::Flags => format!("--{parameter} {value}"),
            Self::Arguments => format!("{}={value}", self.name(parameter)),
        }
    }

    /// A parameter with a name for its value.
    pub fn set(self, parameter: &str, value: &str) -> String {
        self.any_of(parameter, &[value])
    }

    /// A parameter with one of several names for its value.
    pub fn any_of(self, parameter: &str, values: &[&str]) -> String {
        let one = |value: &&str| match self {
            Self::Flags => (*value).to_owned(),
            Self::Arguments => format!("'{value}'"),
        };
        let values: Vec<String> = values.iter().map(one).collect();
        let listed = match values.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => values.concat(),
        };
        match self {
            Self::Flags => format!("--{parameter} {listed}"),
            Self::Arguments => format!("{}={listed}", self.name(parameter)),
        }
    }

    /// No privacy.
    pub fn without_privacy(self) -> &'static str {
        match self {
            Self::Flags => "--epsilon inf",
            Self::Arguments => "epsilon=float('inf')",
        }
    }
}
