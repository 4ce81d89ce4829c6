//! Why a well-formed question has no answer, and what to do.

use clap::error::ErrorKind;
use reticent::features::FeatureMapError;
use reticent::fit::PlanError;
use reticent::privacy::{
    AccountError, Accountant, Adjacency, CalibrateError, Charge, Delta, Epsilon, account_by,
};
use reticent::solve::RegionError;
use reticent::table::{Layout, Schema};
use reticent::train::Refused;

use crate::event_spec::EventSpec;
use crate::format_number::{exact, rounded_up};
use crate::methods::MethodFlags;

/// Why there is no answer.
pub struct Refusal {
    /// The kind of clap error that it belongs to.
    pub kind: ErrorKind,
    /// What was given, what is allowed, what to do.
    pub message: String,
}

impl Refusal {
    pub fn new(kind: ErrorKind, message: String) -> Self {
        Self { kind, message }
    }
}

/// Flags that contradict each other.
pub fn conflict(message: impl Into<String>) -> Refusal {
    Refusal::new(ErrorKind::ArgumentConflict, message.into())
}

/// The engine's refusal of flags that are missing, impossible or contradictory.
impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Missing { what, remedies } => Self::new(
                ErrorKind::MissingRequiredArgument,
                format!("{what}\n\n  {}", remedies.join("\n\n  ")),
            ),
            Refused::Conflict { what, remedy } => conflict(format!("{what}\n\n  tip: {remedy}")),
            refused => Self::new(ErrorKind::ValueValidation, refused.to_string()),
        }
    }
}

/// A budget without --solve.
pub fn unsolicited(epsilon: Epsilon) -> Refusal {
    Refusal::new(
        ErrorKind::MissingRequiredArgument,
        format!(
            "--epsilon {} was given without --solve\n\n  \
             tip: --epsilon is the budget for --solve noise; leave it out to learn what the \
             events cost",
            exact(epsilon.get())
        ),
    )
}

/// Noise is to be found, but all of it is given.
pub fn nothing_to_find(epsilon: Epsilon) -> Refusal {
    Refusal::new(
        ErrorKind::ArgumentConflict,
        format!(
            "--solve noise --epsilon {} has nothing to find: no --event leaves its noise out\n\n  \
             tip: leave noise= out of a gaussian or subsampled-gaussian, or drop --solve",
            exact(epsilon.get())
        ),
    )
}

/// Some events leave out their noise without --solve.
pub fn noiseless(events: &[EventSpec]) -> Refusal {
    let open: Vec<String> = events
        .iter()
        .filter_map(EventSpec::open)
        .map(|typed| format!("--event {typed}"))
        .collect();
    let (have, them) = match open.len() {
        1 => ("has", "it"),
        _ => ("have", "them"),
    };
    Refusal::new(
        ErrorKind::MissingRequiredArgument,
        format!(
            "{} {have} no noise\n\n  \
             tip: add noise=... to {them}, or find it with --solve noise --epsilon E",
            listed(&open)
        ),
    )
}

/// The requested accountant has no theorem for some events.
pub fn uncovered(
    accountant: Accountant,
    charges: &[Charge],
    adjacency: Adjacency,
    delta: Delta,
) -> Refusal {
    const ALL: [Accountant; 5] = [
        Accountant::Basic,
        Accountant::Zcdp,
        Accountant::Gaussian,
        Accountant::Rdp,
        Accountant::Pld,
    ];
    // Theorems cover kinds of events: one release is enough to find out.
    let covers = |accountant, charge: &Charge| {
        let once = [Charge::once(charge.event)];
        !matches!(account_by(accountant, &once, adjacency, delta), Ok(None))
    };
    let mut kinds: Vec<&str> = charges
        .iter()
        .filter(|charge| !covers(accountant, charge))
        .map(|charge| charge.event.name())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let others: Vec<&str> = ALL
        .into_iter()
        .filter(|other| charges.iter().all(|charge| covers(*other, charge)))
        .map(Accountant::name)
        .collect();
    Refusal::new(
        ErrorKind::ArgumentConflict,
        format!(
            "--accountant {} does not cover {}; {} {}\n\n  \
             tip: leave --accountant out to use the tightest",
            accountant.name(),
            listed(&kinds),
            listed(&others),
            if others.len() == 1 { "does" } else { "do" },
        ),
    )
}

/// The parameters of a fit make no plan: in the words of the flags.
pub fn unplanned(error: PlanError, flags: &MethodFlags, schema: Option<&Schema>) -> Refusal {
    let file = flags.files.first().map(|file| file.display());
    let region = file.map_or("--region".to_owned(), |file| format!("--region {file}"));
    let message = match &error {
        PlanError::Option { option, allowed } => format!("--{option} must be {allowed}"),
        PlanError::Nonzero { given, .. } => format!("--nonzero {given}: {error}"),
        PlanError::RadiusOfPolytope => {
            "--radius does not apply to vertices, which say how large the region is; leave it out"
                .to_owned()
        }
        PlanError::NotPublished(what) => format!(
            "--as-published does not apply to {what}: the paper's noise is for regions with \
             vertices (--region l1, simplex or FILE)\n\n  tip: leave --as-published out"
        ),
        PlanError::Region(RegionError::Length { given, columns, .. }) => {
            let names = schema.map_or(String::new(), |schema| feature_names(schema, *columns));
            format!(
                "{region}: each vertex has {given} numbers, and the table has {columns} \
                 features{names}\n\n  tip: write one number per feature, in their order"
            )
        }
        PlanError::BatchesInRho => {
            "--rho cannot pay for batches of some of the records: what secret batches cost has no bound \
             in zCDP\n\n  tip: give the budget as --epsilon, or --batch 1e12, which is all records, \
             or use --method ight, which takes all of them in each step"
                .to_owned()
        }
        PlanError::Region(RegionError::Radius(_)) => format!("--radius: {error}"),
        PlanError::Region(_) => format!("{region}: {error}"),
        error => error.to_string(),
    };
    Refusal::new(ErrorKind::ValueValidation, message)
}

/// A map of features takes other rows than the table has, or makes no sense.
pub fn other_rows(error: FeatureMapError) -> Refusal {
    Refusal::new(ErrorKind::ValueValidation, error.to_string())
}

/// The names of the features of a schema, in brackets; of many, the first.
fn feature_names(schema: &Schema, columns: usize) -> String {
    const SHOWN: usize = 12;
    let layout = Layout::Named(schema.clone());
    let shown: Vec<String> = (0..columns.min(SHOWN)).map(|j| layout.name(j)).collect();
    let more = if columns > SHOWN { ", …" } else { "" };
    format!(" ({}{more})", shown.join(", "))
}

/// The events have no total.
pub fn unaccounted(error: AccountError) -> Refusal {
    let message = match error {
        AccountError::Unbounded { delta } => format!(
            "no accountant bounds these events by a finite epsilon at delta = {}; use more noise \
             or fewer releases",
            exact(delta.get())
        ),
        error => error.to_string(),
    };
    Refusal::new(ErrorKind::ValueValidation, message)
}

/// No noise fits the budget.
pub fn unsolved(error: CalibrateError) -> Refusal {
    match error {
        CalibrateError::Account(error) => unaccounted(error),
        CalibrateError::TooDear { fixed, budget } => Refusal::new(
            ErrorKind::ValueValidation,
            format!(
                "no noise is enough for --epsilon {}: the events whose noise is fixed already \
                 cost ε = {}\n\n  tip: raise the budget, or release less",
                exact(budget.get()),
                rounded_up(fixed, 4)
            ),
        ),
        error @ CalibrateError::TooDearInRho { .. } => {
            Refusal::new(ErrorKind::ValueValidation, error.to_string())
        }
    }
}

/// a, b and c.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "none".to_owned(),
    }
}
