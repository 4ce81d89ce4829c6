//! The flags that only some methods have, made from their declarations.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use reticent::fit::{MethodName, MethodOption, OptionType, declared_options};
use reticent::table::{ReadError, read_vertices};
use reticent::train::{MethodOptions, OptionValue};

use crate::flags::positive;
use crate::parse_number;

/// Options that only some methods have, and whether there is an intercept.
#[derive(Debug, Clone, Default)]
pub struct MethodFlags {
    pub options: MethodOptions,
    /// The file of public rows.
    pub public: Option<PathBuf>,
    /// Files that options were read from.
    pub files: Vec<PathBuf>,
    pub no_intercept: bool,
}

const METHOD: &str = "Method";
const NO_INTERCEPT: &str = "no-intercept";

/// A value as it was given, and the file that it was read from.
#[derive(Debug, Clone)]
struct Given {
    value: OptionValue,
    file: Option<PathBuf>,
}

impl Args for MethodFlags {
    fn augment_args(command: Command) -> Command {
        let flags = declared_options()
            .into_iter()
            .map(|(option, methods)| flag(option, &methods));
        command.args(flags).arg(
            Arg::new(NO_INTERCEPT)
                .long(NO_INTERCEPT)
                .help("Fit no intercept")
                .action(ArgAction::SetTrue)
                .help_heading(METHOD),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// One option as a flag: its sentence, its methods and its default.
fn flag(option: &'static MethodOption, methods: &[MethodName]) -> Arg {
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    let mut help = format!("{} ({})", option.meaning, names.join(", "));
    if !option.default.is_empty() {
        help.push_str(&format!(" [default: {}]", option.default));
    }
    let flag = Arg::new(option.name)
        .long(option.name)
        .help(help.clone())
        .help_heading(METHOD);
    if let OptionType::Flag = option.value {
        return flag.action(ArgAction::SetTrue);
    }
    let flag = match option.value {
        OptionType::NameOrVertices(names) => {
            let names = names().into_iter();
            let listed = names.map(|(name, meaning)| format!("- {name}: {meaning}"));
            let mut listed: Vec<String> = listed.collect();
            listed.push(
                "- FILE: the vertices, one per line, with one number per feature; blanks or commas \
                 between them"
                    .to_owned(),
            );
            flag.long_help(format!("{help}\n\nNames:\n{}", listed.join("\n")))
        }
        _ => flag,
    };
    flag.value_name(option.placeholder)
        .allow_hyphen_values(matches!(option.value, OptionType::Positive))
        .allow_negative_numbers(matches!(option.value, OptionType::Count))
        .value_parser(parser(option))
}

/// Reads the value of an option.
fn parser(option: &'static MethodOption) -> ValueParser {
    let plain = |value: OptionValue| Given { value, file: None };
    match option.value {
        OptionType::Positive => ValueParser::new(move |text: &str| {
            let value = parse_number::quantity(text, |value| positive("it", value));
            value.map(|value| plain(value.into()))
        }),
        OptionType::Count => ValueParser::new(move |text: &str| {
            parse_number::option_count(text).map(|count| plain(count.into()))
        }),
        OptionType::Name(names) => {
            let value = |(name, meaning)| PossibleValue::new(name).help(meaning);
            let known = PossibleValuesParser::new(names().into_iter().map(value));
            ValueParser::new(known.map(move |name: String| plain(name.as_str().into())))
        }
        OptionType::NameOrVertices(names) => ValueParser::new(move |text: &str| {
            if names().iter().any(|(name, _)| *name == text) {
                return Ok(plain(text.into()));
            }
            let path = Path::new(text);
            let points = read_vertices(path).map_err(|error| match path.exists() {
                true => of_file(&error),
                false => {
                    let names: Vec<&str> = names().iter().map(|(name, _)| *name).collect();
                    format!(
                        "'{text}' is not a {} ({}), and there is no file of that name",
                        option.name,
                        names.join(", ")
                    )
                }
            });
            points.map(|points| Given {
                value: points.into(),
                file: Some(PathBuf::from(text)),
            })
        }),
        OptionType::Flag | OptionType::PublicRows => ValueParser::path_buf(),
    }
}

/// What is wrong with the file of an option, which the error names already.
fn of_file(error: &ReadError) -> String {
    let place = match (error.line, error.column) {
        (Some(line), Some(field)) => format!("line {line}, field {field}: "),
        (Some(line), None) => format!("line {line}: "),
        _ => String::new(),
    };
    format!("{place}{}", error.problem)
}

impl FromArgMatches for MethodFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self {
            no_intercept: matches.get_flag(NO_INTERCEPT),
            ..Self::default()
        };
        for (option, _) in declared_options() {
            match option.value {
                OptionType::Flag => flags
                    .options
                    .set(option.name, matches.get_flag(option.name)),
                OptionType::PublicRows => flags.public = matches.get_one(option.name).cloned(),
                _ => {
                    if let Some(given) = matches.get_one::<Given>(option.name).cloned() {
                        flags.options.set(option.name, given.value);
                        flags.files.extend(given.file);
                    }
                }
            }
        }
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<MethodFlags, clap::Error> {
        let command = MethodFlags::augment_args(Command::new("fit").no_binary_name(true));
        MethodFlags::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    #[test]
    fn every_declared_option_is_a_flag_with_its_methods_and_default_in_the_help() {
        let mut command = MethodFlags::augment_args(Command::new("fit"));
        let help = command.render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for (option, methods) in declared_options() {
            assert!(
                help.contains(&format!("--{}", option.name)),
                "{}",
                option.name
            );
            let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
            let sentence = format!("{} ({})", option.meaning, names.join(", "));
            assert!(help.contains(&sentence), "{sentence}");
        }
    }

    #[test]
    fn values_reach_the_engine_as_they_were_given() {
        let flags = parsed(&["--radius", "5/2", "--step-rule", "standard", "--peeling"]).unwrap();
        assert_eq!(flags.options.get("radius"), Some(&2.5.into()));
        assert_eq!(flags.options.get("step-rule"), Some(&"standard".into()));
        assert_eq!(flags.options.get("peeling"), Some(&true.into()));
        assert_eq!(flags.options.iter().count(), 3);
        assert!(parsed(&[]).unwrap().options.is_empty());
    }

    #[test]
    fn regions_are_names_or_files_of_vertices() {
        let named = parsed(&["--region", "simplex"]).unwrap();
        assert_eq!(named.options.get("region"), Some(&"simplex".into()));
        let file = std::env::temp_dir().join(format!("reticent-region-{}", std::process::id()));
        std::fs::write(&file, "1 0\n0 1\n").unwrap();
        let read = parsed(&["--region", file.to_str().unwrap()]).unwrap();
        std::fs::remove_file(&file).unwrap();
        let expected = OptionValue::Vertices(vec![vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert_eq!(read.options.get("region"), Some(&expected));
        assert_eq!(read.files, [file]);
        let message = parsed(&["--region", "l3"]).unwrap_err().to_string();
        let expected = "'l3' is not a region (l1, simplex, l2), and there is no file of that name";
        assert!(message.contains(expected), "{message}");
    }
}
