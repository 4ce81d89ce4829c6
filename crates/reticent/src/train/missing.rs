//! Parameters that have no default, because each is a promise that only a person can make: all
//! missing ones are explained at once.

use super::{ParameterStyle, Refused};

/// What a summary needs to know of its values: one of two parameters.
pub(super) const RANGES: &str = "schema or --rows";

/// The order in which a person would choose.
pub(super) const ORDER: [&str; 11] = [
    "task",
    "n",
    "d",
    "k",
    "epsilon",
    "delta",
    "rows",
    RANGES,
    "target-range",
    "public-n",
    "out",
];

impl Refused {
    /// What is missing, and how to choose it.
    pub(super) fn missing(style: ParameterStyle, mut parameters: Vec<&'static str>) -> Self {
        parameters.sort_by_key(|parameter| ORDER.iter().position(|other| other == parameter));
        let names: Vec<String> = parameters.iter().map(|name| style.name(name)).collect();
        let what = match &names[..] {
            [one] => format!("{one} was not given, and it has no default"),
            names => {
                let (last, most) = names
                    .split_last()
                    .map_or(("", &[][..]), |(last, most)| (last.as_str(), most));
                format!(
                    "{} and {last} were not given, and they have no defaults",
                    most.join(", ")
                )
            }
        };
        let how = |parameter: &&'static str| how_to_choose(style, parameter);
        Self::Missing {
            what,
            remedies: parameters.iter().map(how).collect(),
        }
    }
}

/// How a person would choose the value of a parameter.
pub(super) fn how_to_choose(style: ParameterStyle, parameter: &str) -> &'static str {
    match style {
        ParameterStyle::Flags => of_flags(parameter),
        ParameterStyle::Arguments => of_arguments(parameter),
    }
}

fn of_arguments(parameter: &str) -> &'static str {
    match parameter {
        "task" => {
            "task='logistic' for two classes, 'multinomial' for several, 'linear' for a number"
        }
        "epsilon" => {
            "epsilon=1.0: the privacy budget; one record changes the probability of any outcome by a \
             factor of at most e^epsilon. Around 1 is strong, beyond 10 weak (or rho=0.02, in \
             zero-concentrated privacy)"
        }
        "delta" => {
            "delta=1e-8: the probability with which the promise may fail; far below 1/n for \
             n records, such as 1/n**2"
        }
        "rows" => {
            "row_bound=('l2', 1.0) scales longer rows down to length 1, for text; \
             row_bound=('linf', 1.0) clips values to [-1, 1], for 0/1 features and those scaled by \
             public numbers. Choose it by what the columns mean, not by looking at this table"
        }
        RANGES => {
            "schema='schema.toml', or bounds={'age': (0, 120)}: what numbers and levels any such \
             table could hold"
        }
        "target-range" => {
            "target_range=(0, 120): the numbers between which the target lies; values beyond are \
             clipped. Take what any such table could hold, not the smallest and the largest of \
             this one"
        }
        "public-n" => {
            "public_n=30000: under add-remove adjacency the number of records is private, and a \
             public guess takes its place"
        }
        "n" => "n=10000: how many records there will be",
        "d" => "d=100: how many features there will be",
        "k" => "k=3: how many classes there will be",
        "out" => "out='model.json': where the model is written",
        _ => "",
    }
}

fn of_flags(parameter: &str) -> &'static str {
    match parameter {
        "task" => {
            "--task logistic      for two classes
  --task multinomial   for several
  --task linear        for a number"
        }
        "epsilon" => {
            "--epsilon E   the privacy budget: whatever one record says, it changes the
      probability of any outcome by a factor of at most e^E. Around 1 is strong,
      3 is usual, beyond 10 is weak. Start with --epsilon 1
      Or give --rho R in its place: the budget in zero-concentrated privacy,
      where releases add up. 0.02 is at most --epsilon 0.9 at --delta 1e-6"
        }
        "delta" => {
            "--delta D     the probability with which the promise may fail: far below 1/n
      for n records, since at 1/n publishing a whole record is allowed. A good
      choice is 1/n²: --delta 1e-6 for a thousand records, 1e-8 for ten thousand"
        }
        "rows" => {
            "--rows l2=1   every row is scaled down to length 1 if it is longer: for text
      (tf-idf) and for rows that are normalised anyway
  --rows linf=1 every value is clipped to [−1, 1]: for 0/1 features and features
      that were scaled by public numbers
      Choose it by what the columns mean, not by looking at this table"
        }
        RANGES => {
            "--schema FILE what the named columns of CSV and Parquet mean: ranges of numbers,
      levels of categories; `reticent schema TABLE` writes a template
  --rows linf=B every value is clipped to ±B: for LIBSVM text, whose columns
      have numbers in place of names (--columns D says how many)"
        }
        "target-range" => {
            "--target-range LO,HI   the numbers between which the target lies; values beyond
      are clipped. Take what any such table could hold (an age: 0,120), not the
      smallest and the largest of this one: those are facts about individuals"
        }
        "public-n" => {
            "--public-n N0 under add-remove adjacency the number of records is private, and
      a public number takes its place: a guess you could print in a newspaper,
      such as 30000. It need not be right; the closer, the better the model"
        }
        "out" => "--out FILE    where the model and its certificate go, such as model.json",
        "n" => "--n N         the number of records that the table will have",
        "d" => {
            "--d D         the number of features that the table will have (or --schema,
      which has it)"
        }
        "k" => "--k K         the number of classes that the table will have",
        _ => "",
    }
}
