//! Parameters that have no default, because each is a promise that only a person can make: what is
//! missing is explained, all of it at once.

/// What was not given.
#[derive(Default)]
pub struct Missing(Vec<&'static str>);

impl Missing {
    /// Notes that a parameter is missing, unless it is there.
    pub fn unless(&mut self, given: bool, parameter: &'static str) {
        if !given {
            self.0.push(parameter);
        }
    }

    /// What is missing and how to choose it, if anything is.
    pub fn refusal(&self) -> Option<String> {
        let names = match &self.0[..] {
            [] => return None,
            [one] => format!("{one} was not given, and it has no default"),
            [most @ .., last] => format!(
                "{} and {last} were not given, and they have no defaults",
                most.join(", ")
            ),
        };
        let lines = self.0.iter().map(|parameter| how_to_choose(parameter));
        let lines: Vec<&str> = std::iter::once(names.as_str()).chain(lines).collect();
        Some(lines.join("\n  "))
    }
}

/// How a person would choose the value of a parameter.
fn how_to_choose(parameter: &str) -> &'static str {
    match parameter {
        "epsilon" => {
            "epsilon=1.0: the privacy budget; one record changes the odds of any outcome by a \
             factor of at most e^epsilon. Around 1 is strong, beyond 10 weak (or rho=0.02, in \
             zero-concentrated privacy)"
        }
        "delta" => {
            "delta=1e-8: the probability that the promise may fail by; far below 1/n for n \
             records, such as 1/n**2"
        }
        "row_bound" => {
            "row_bound=('l2', 1.0) scales rows that are longer down to length 1, for text; \
             row_bound=('linf', 1.0) clips values to [-1, 1], for 0/1 features and those scaled by \
             public numbers. Choose it by what the columns mean, not by looking at this table"
        }
        "target_range" => {
            "target_range=(0, 120): between which numbers the target lies; what is beyond is \
             clipped. Take what any such table could hold, not the least and the largest of this \
             one"
        }
        "public_n" => {
            "public_n=30000: under add-remove adjacency the number of records is private, and a \
             public guess takes its place"
        }
        _ => "",
    }
}
