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
        match self {
            Self::Flags => format!("--{parameter} {}", values.join(", ")),
            Self::Arguments => format!("{}='{}'", self.name(parameter), values.join("', '")),
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
