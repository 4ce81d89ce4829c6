//! Schemas of plain values: objects, lists, texts, numbers and truth values, as other languages have
//! them.

use serde::Deserialize;
use serde_json::Value;

use super::file::{ColumnFile, SchemaFile};
use super::{Schema, SchemaError, SchemaProblem};

impl Schema {
    /// A schema of the same keys and values as in TOML, checked in the same way; an error names the
    /// column in place of a line. Where a number is not finite, which JSON cannot write, its name may
    /// stand.
    pub fn from_plain(mut value: Value) -> Result<Self, SchemaError> {
        let columns = value.get_mut("column").map(Value::take);
        let columns = match columns {
            Some(Value::Array(columns)) => columns,
            None => Vec::new(),
            Some(_) => return Err(syntax("column must be a list of columns".to_owned())),
        };
        if let Value::Object(keys) = &mut value {
            keys.remove("column");
        }
        let mut file = SchemaFile::deserialize(value).map_err(|error| syntax(error.to_string()))?;
        let columns: Result<_, _> = columns.into_iter().map(column).collect();
        file.columns = columns?;
        Self::try_from(file).map_err(SchemaError::from)
    }
}

fn column(value: Value) -> Result<ColumnFile, SchemaError> {
    let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
    ColumnFile::deserialize(value).map_err(|error| {
        syntax(match name {
            Some(name) => format!("column '{name}': {error}"),
            None => format!("a column without a name: {error}"),
        })
    })
}

fn syntax(message: String) -> SchemaError {
    SchemaProblem::Syntax(message).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_values_make_the_schema_that_toml_makes() {
        let plain = json!({"version": 1, "missing": ["", "-9"], "column": [
            {"name": "age", "kind": "numeric", "bounds": [0, 120], "missing_indicator": true},
            {"name": "cost", "kind": "numeric", "bounds": [1, 1e6], "scale": "log"},
            {"name": "since", "kind": "date", "bounds": ["1990-01-01", "2030-12-31"]},
            {"name": "ill", "kind": "target", "classes": [false, true], "missing": false},
        ]});
        let toml = r#"
            version = 1
            missing = ["", "-9"]
            column = [
              {name = "age", kind = "numeric", bounds = [0, 120], missing_indicator = true},
              {name = "cost", kind = "numeric", bounds = [1, 1e6], scale = "log"},
              {name = "since", kind = "date", bounds = [1990-01-01, 2030-12-31]},
              {name = "ill", kind = "target", classes = [false, true], missing = false},
            ]"#;
        let schema = Schema::from_plain(plain).unwrap();
        assert_eq!(schema, Schema::from_toml(toml).unwrap());
        let features = ["age", "age is missing", "cost", "since"];
        assert_eq!(schema.features(), features);
    }

    #[test]
    fn an_error_names_the_column() {
        for (column, words) in [
            (
                json!({"name": "age", "kind": "numeric", "bounds": [0, "inf"]}),
                "the bounds of column 'age' must be two finite numbers",
            ),
            (
                json!({"name": "age", "kind": "numeric", "bounds": 3}),
                "column 'age': invalid type: integer `3`",
            ),
            (json!({"kind": "numeric"}), "a column without a name"),
            (json!({"name": "age", "kin": 1}), "unknown field `kin`"),
        ] {
            let error = Schema::from_plain(json!({"version": 1, "column": [column]}));
            let message = error.unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        let error = Schema::from_plain(json!({"version": 1, "column": {}}));
        assert!(error.unwrap_err().to_string().contains("a list"));
        assert!(Schema::from_plain(json!([])).is_err());
    }
}
