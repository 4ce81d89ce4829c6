//! The message about an unknown name: the known ones, and what was probably meant.

/// The message about a name that is none of `allowed`; `meant` says how to write a known thing that
/// has another name elsewhere.
pub fn unknown(what: &str, given: &str, allowed: &[&str], meant: Option<&str>) -> String {
    let hint = match (meant, nearest(given, allowed)) {
        (Some(meant), _) => format!("; {meant}"),
        (None, Some(name)) => format!("; did you mean {name}?"),
        (None, None) => String::new(),
    };
    format!(
        "'{given}' is not a {what}; allowed: {}{hint}",
        allowed.join(", ")
    )
}

/// The allowed name that is most similar to `given`, ignoring case, if any is.
fn nearest<'a>(given: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let given = given.to_lowercase();
    allowed
        .iter()
        .map(|name| (strsim::jaro_winkler(&given, name), *name))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.8)
        .map(|(_, name)| name)
}

/// How an event that goes by another name elsewhere is written here.
pub fn kind_meant(given: &str) -> Option<&'static str> {
    Some(match plain(given).as_str() {
        "laplace" => "Laplace noise is pure:epsilon=E",
        "geometric" | "discrete-laplace" => "geometric noise is pure:epsilon=E",
        "vector" => "the vector mechanism is pure:epsilon=E",
        "topk" | "top-k" => "one-shot top-k is exponential:range=H,count=K",
        "gumbel" => "Gumbel noise is exponential:range=H",
        "discrete-gaussian" => "the discrete Gaussian of noise Z is zcdp:rho=R, R = 1/(2Z²)",
        "sgd" | "dpsgd" | "dp-sgd" => {
            "a step on a batch is subsampled-gaussian:noise=Z,rate=Q,sampling=..."
        }
        _ => return None,
    })
}

/// How a setting that goes by another name elsewhere is written here.
pub fn key_meant(kind: &str, given: &str) -> Option<&'static str> {
    Some(match (kind, plain(given).as_str()) {
        ("gaussian" | "subsampled-gaussian", "sigma" | "σ" | "std" | "scale") => "write noise=σ/Δ",
        ("gaussian" | "subsampled-gaussian", "noise-multiplier") => {
            "write noise=σ/Δ, which is σ/C under add-remove and half of it under replace-one"
        }
        ("gaussian", "rate" | "sampling" | "batch" | "batch-size" | "q") => {
            "a release on a batch is subsampled-gaussian:noise=Z,rate=Q,sampling=..."
        }
        ("subsampled-gaussian", "batch" | "batch-size" | "q" | "sample-rate") => {
            "write rate=batch/records, like rate=256/60000"
        }
        ("exponential", "eta" | "η") => "write range=η",
        ("exponential", "epsilon" | "eps" | "ε") => {
            "write range=H, which is ε for weights exp(ε·score/(2Δ))"
        }
        ("pure", "eps" | "ε") => "write epsilon=E",
        ("zcdp", "ρ") => "write rho=R",
        (_, "steps" | "iterations" | "times" | "k") => "write count=N",
        _ => return None,
    })
}

/// A name in lower case and with hyphens.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}
