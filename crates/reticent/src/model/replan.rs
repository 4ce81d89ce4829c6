//! The plan of a certificate, made again from the request and the public facts, and compared with
//! what the certificate states.

use super::certificate::{PUBLIC_VERTICES, Published};
use super::summary_file::SUMMARY;
use super::verify::{Verdict, Verification};
use super::{Certificate, Method, Parameter};
use crate::fit::{Facts, MethodRequest, ParameterStyle, Planned, Task};
use crate::privacy::{Adjacency, Basis, Charge, Delta, Event, Rho, total_rho};
use crate::summary::SummaryRequest;
use crate::table::ClassWeight;

/// Noise that differs by less than this, relatively, counts as that of the same plan on another
/// machine: a calibration by the PLD ends within 5e-5 of the least noise, and another library's
/// logarithms may end it elsewhere.
const SAME_NOISE: f64 = 1e-4;

/// The name of the check.
pub(super) const PLAN: &str = "the releases are those of the plan";

/// What a plan charges, and for whom.
struct Asked<'a> {
    adjacency: Adjacency,
    delta: Delta,
    in_rho: bool,
    charges: &'a [Charge],
}

impl Certificate {
    /// Checks that the releases are those that the request plans for these facts.
    pub(super) fn verify_plan(&self, all: &mut Verification) {
        let this_version = self.version == env!("CARGO_PKG_VERSION");
        match self.statement.basis {
            Basis::Plan => {}
            Basis::Filter if self.summary.is_some() => {
                let found = "it is of a summary, which is planned, and states a filter";
                return all.add(PLAN, Verdict::Fails, found);
            }
            Basis::Filter => {}
            // Nothing is claimed.
            Basis::NoGuarantee => return,
        }
        let asked = self.request.is_some() || self.summary.is_some();
        if !this_version && asked != has_requests(&self.version) {
            let says = match asked {
                true => "it says",
                false => "it does not say",
            };
            let found = format!(
                "{says} what was asked for, which certificates do from version 0.2.0 on, and \
                 names version '{}'",
                self.version
            );
            return all.add(PLAN, Verdict::Fails, found);
        }
        if !this_version {
            let found = format!(
                "made by another version ({}): plans may differ; checked by its arithmetic",
                self.version
            );
            return all.add(PLAN, Verdict::Warns, found);
        }
        let differs = match &self.summary {
            Some(request) => self.differs_from_summary(*request),
            None => match self.planned_again() {
                Ok(plan) => self.differs_from(&*plan),
                Err(reason) => Some(reason),
            },
        };
        match differs {
            None => {
                let found = match self.statement.basis {
                    Basis::Filter => {
                        "planned again from what was asked for: the same budget of a filter, and \
                         releases that it lets pass"
                    }
                    _ => "planned again from what was asked for: the same releases",
                };
                all.add(PLAN, Verdict::Holds, found);
            }
            Some(how) => all.add(PLAN, Verdict::Fails, how),
        }
    }

    /// How the certificate differs from the plan of a summary.
    fn differs_from_summary(&self, request: SummaryRequest) -> Option<String> {
        let plan = match request.plan(self.records) {
            Ok(plan) => plan,
            Err(error) => return Some(format!("what was asked for is no plan: {error}")),
        };
        if self.published.is_some() {
            return Some("no paper claims anything for a summary".to_owned());
        }
        let differs = self.differs_in_charges(Asked {
            adjacency: request.adjacency,
            delta: request.budget.delta(),
            in_rho: request.budget.rho().is_some(),
            charges: plan.charges(),
        });
        differs.or_else(|| {
            let method = Method::new(SUMMARY, &[]);
            (!same_method(&method, &self.method))
                .then(|| "a summary was asked for, and another method is stated".to_owned())
        })
    }

    /// How adjacency, δ, kind of budget or releases differ from those of a plan.
    fn differs_in_charges(&self, asked: Asked<'_>) -> Option<String> {
        let statement = &self.statement;
        let Asked {
            adjacency,
            delta,
            in_rho,
            charges: planned,
        } = asked;
        if adjacency != statement.adjacency {
            return Some(format!(
                "{adjacency} adjacency was asked for, and {} is stated",
                statement.adjacency
            ));
        }
        if delta != statement.delta {
            let stated = statement.delta;
            return Some(format!(
                "delta = {delta} was asked for, and {stated} is stated"
            ));
        }
        if in_rho != statement.rho.is_some() {
            return Some("a budget in rho and one in epsilon are not the same".to_owned());
        }
        if statement.basis == Basis::Filter {
            return lets_pass(planned, &statement.charges);
        }
        let same = planned.len() == statement.charges.len()
            && planned
                .iter()
                .zip(&statement.charges)
                .all(|(a, b)| same_charge(a, b));
        (!same).then(|| {
            format!(
                "the plan charges {}; the certificate lists {}",
                listed(planned),
                listed(&statement.charges)
            )
        })
    }

    /// The plan of the request.
    fn planned_again(&self) -> Result<Box<dyn Planned>, String> {
        let request = self.request.as_ref();
        let request = request.ok_or("it does not say what was asked for, as this version does")?;
        let facts = Facts {
            records: self.records,
            columns: usize::try_from(self.columns).map_err(|error| error.to_string())?,
            rows: self.rows,
        };
        let sound = request.check_options(ParameterStyle::Flags, request.public_rows.is_some());
        sound.map_err(|error| format!("what was asked for contradicts itself: {error}"))?;
        let planned = request.plan(facts);
        let (plan, _) =
            planned.map_err(|error| format!("what was asked for is no plan: {error}"))?;
        Ok(plan)
    }

    /// How the certificate differs from the plan.
    fn differs_from(&self, plan: &dyn Planned) -> Option<String> {
        let Some(spending) = plan.spending() else {
            return Some("nothing is proved about what was asked for".to_owned());
        };
        let weighted = self.class_weight();
        if plan.is_central() && (self.unit.is_some() || weighted.is_some()) {
            let what = "this method is for records that are each a unit and count in full";
            return Some(what.to_owned());
        }
        let fits = |weight: &ClassWeight| weight.fits(plan.task().classes() as usize);
        if weighted.is_some_and(|weight| !fits(weight) || !spending.counts_classes()) {
            return Some("the class weights are none that a fit takes".to_owned());
        }
        if (plan.task() == Task::Linear) != self.target.is_some() {
            return Some("a number has a range, and a class none".to_owned());
        }
        if spending.basis() != self.statement.basis {
            return Some(
                "what was asked for is a plan, or a filter, and the other is stated".into(),
            );
        }
        let budget = spending.budget();
        let certified = (budget.epsilon().get(), budget.rho().map(Rho::get));
        if spending.basis() == Basis::Filter
            && certified != (self.statement.epsilon, self.statement.rho)
        {
            return Some("a filter certifies the whole budget that was asked for".to_owned());
        }
        let differs = self.differs_in_charges(Asked {
            adjacency: spending.adjacency(),
            delta: spending.account().delta,
            in_rho: spending.rho().is_some(),
            charges: spending.charges(),
        });
        if differs.is_some() {
            return differs;
        }
        if plan.guarantee().claimed().map(Published::of) != self.published {
            return Some("what a paper claims for the plan is not what is stated".to_owned());
        }
        let vertices = self
            .request
            .as_ref()
            .is_some_and(MethodRequest::has_vertices);
        let listed = |public: &str| self.assumed_public.iter().any(|line| line == public);
        if vertices && !listed(PUBLIC_VERTICES) {
            return Some("vertices were declared, and are not listed as assumed public".to_owned());
        }
        let method = Method::new(plan.name(), &plan.summary());
        (!same_method(&method, &self.method))
            .then(|| "the method or its parameters are not those of the plan".to_owned())
    }
}

/// Whether certificates of a version hold the request: from 0.2.0 on.
fn has_requests(version: &str) -> bool {
    let numbers: Option<Vec<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
    numbers.is_some_and(|numbers| numbers.len() == 3 && numbers >= vec![0, 2, 0])
}

/// How releases differ from what the plan of a filter lets pass: what is planned one by one is made, and all
/// else costs no more than the ρ that is planned for it. A filter lists equal releases as one charge, and a
/// plan may list them apart: so they are counted.
fn lets_pass(planned: &[Charge], stated: &[Charge]) -> Option<String> {
    let count = |charges: &[Charge], event: Event| {
        let same = charges
            .iter()
            .filter(|other| same_event(event, other.event));
        same.fold(0u64, |sum, other| sum.saturating_add(other.count.get()))
    };
    let one_by_one = |charge: &&Charge| !matches!(charge.event, Event::Zcdp { .. });
    let lacks = |charge: &Charge| count(stated, charge.event) < count(planned, charge.event);
    let made = !planned.iter().filter(one_by_one).any(lacks);
    match (total_rho(planned), total_rho(stated)) {
        (Ok(most), Ok(rho)) if made && rho <= most * (1.0 + SAME_NOISE) => None,
        _ => Some(format!(
            "the plan lets pass {}; the certificate lists {}",
            listed(planned),
            listed(stated)
        )),
    }
}

/// The same kind, count and, up to rounding, noise.
fn same_charge(a: &Charge, b: &Charge) -> bool {
    same_event(a.event, b.event) && a.count == b.count
}

/// The same kind and, up to rounding, noise.
fn same_event(a: Event, b: Event) -> bool {
    match (a, b) {
        (Event::Gaussian { noise: a }, Event::Gaussian { noise: b }) => near(a.get(), b.get()),
        (Event::Exponential { range: a }, Event::Exponential { range: b }) => {
            near(a.get(), b.get())
        }
        (Event::Pure { epsilon: a }, Event::Pure { epsilon: b }) => near(a.get(), b.get()),
        (Event::Zcdp { rho: a }, Event::Zcdp { rho: b }) => near(a.get(), b.get()),
        (
            Event::SubsampledGaussian {
                noise: a,
                rate,
                sampling,
            },
            Event::SubsampledGaussian {
                noise: b,
                rate: other_rate,
                sampling: other_sampling,
            },
        ) => near(a.get(), b.get()) && rate == other_rate && sampling == other_sampling,
        _ => false,
    }
}

fn near(a: f64, b: f64) -> bool {
    // A share of infinity is infinite: everything would be near to it.
    a == b || a.abs().max(b.abs()).is_finite() && (a - b).abs() <= SAME_NOISE * a.abs().max(b.abs())
}

/// The same parameters, numbers up to rounding.
fn same_method(a: &Method, b: &Method) -> bool {
    let same = |(a, b): (&Parameter, &Parameter)| {
        let values = (a.value.parse(), b.value.parse());
        a.name == b.name && (a.value == b.value || matches!(values, (Ok(a), Ok(b)) if near(a, b)))
    };
    a.name == b.name
        && a.parameters.len() == b.parameters.len()
        && a.parameters.iter().zip(&b.parameters).all(same)
}

/// 30 × gaussian:noise=11, 1 × pure:epsilon=0.1.
fn listed(charges: &[Charge]) -> String {
    let one = |charge: &Charge| format!("{} × {}", charge.count, charge.event);
    charges.iter().map(one).collect::<Vec<_>>().join(", ")
}
