//! The methods that recover sparse weights, each with its defaults and a public s.

use reticent::fit::{
    Auto, Calibration, FrankWolfe, Ight, IghtForm, Nonzero, Planned, Teacher, Transfer, TwoStage,
};
use reticent::privacy::Budget;

use crate::panel::Panel;

/// A method and what it is called.
pub type Method = (&'static str, fn(&Panel, Budget) -> Box<dyn Planned>);

pub const AUTO: &str = "auto";
pub const PUBLISHED: &str = "ight as published";

/// Every method of a panel. A dense teacher has a system of all columns to solve: it is left to the
/// smaller setting.
pub fn methods(panel: &Panel) -> Vec<Method> {
    let mut methods: Vec<Method> = vec![
        (AUTO, auto),
        ("ight, each step", |panel, budget| {
            ight(panel, budget, IghtForm::EachStep, Calibration::Exact)
        }),
        (PUBLISHED, |panel, budget| {
            ight(panel, budget, IghtForm::EachStep, Calibration::AsPublished)
        }),
        ("ight, peeling", |panel, budget| {
            ight(panel, budget, IghtForm::Peeling, Calibration::Exact)
        }),
        ("frank-wolfe", frank_wolfe),
        ("two-stage", two_stage),
        ("transfer", |panel, budget| {
            transfer(panel, budget, Teacher::Support)
        }),
    ];
    if panel.columns <= 1000 {
        methods.push(("transfer, dense", |panel, budget| {
            transfer(panel, budget, Teacher::Dense)
        }));
    }
    methods
}

fn auto(panel: &Panel, budget: Budget) -> Box<dyn Planned> {
    let auto = Auto {
        nonzero: Some(Nonzero::Count(panel.nonzero)),
        intercept: false,
        ..Auto::new(panel.task, budget)
    };
    auto.plan(panel.facts())
        .expect("the defaults make a plan")
        .0
}

fn ight(
    panel: &Panel,
    budget: Budget,
    form: IghtForm,
    calibration: Calibration,
) -> Box<dyn Planned> {
    let ight = Ight {
        nonzero: Some(panel.nonzero),
        form,
        intercept: false,
        calibration,
        ..Ight::new(panel.task, budget)
    };
    Box::new(ight.plan(panel.facts()).expect("the defaults make a plan"))
}

fn frank_wolfe(panel: &Panel, budget: Budget) -> Box<dyn Planned> {
    let frank_wolfe = FrankWolfe {
        intercept: false,
        ..FrankWolfe::new(panel.task, budget)
    };
    Box::new(
        frank_wolfe
            .plan(panel.facts())
            .expect("the defaults make a plan"),
    )
}

fn two_stage(panel: &Panel, budget: Budget) -> Box<dyn Planned> {
    let two_stage = TwoStage {
        nonzero: Some(panel.nonzero),
        intercept: false,
        ..TwoStage::new(panel.task, budget)
    };
    Box::new(
        two_stage
            .plan(panel.facts())
            .expect("the defaults make a plan"),
    )
}

fn transfer(panel: &Panel, budget: Budget, teacher: Teacher) -> Box<dyn Planned> {
    let transfer = Transfer {
        nonzero: Some(panel.nonzero),
        teacher,
        intercept: false,
        ..Transfer::new(panel.task, budget)
    };
    Box::new(
        transfer
            .plan(panel.facts())
            .expect("the defaults make a plan"),
    )
}
