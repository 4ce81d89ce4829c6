//! Options that several methods take.

use super::option::{MethodOption, OptionType};
use crate::fit::TaskName;

/// The radius of the ball that holds the weights.
pub(in crate::fit) const RADIUS: MethodOption = MethodOption {
    name: "radius",
    placeholder: "R",
    meaning: "The radius of the region that holds the weights, the target's range being [−1, 1]: of the \
              ℓ₁ ball, unless another region is named",
    without_privacy: true,
    ..MethodOption::new(OptionType::Positive)
};

/// How many steps.
pub(in crate::fit) const ITERATIONS: MethodOption = MethodOption {
    name: "iterations",
    placeholder: "T",
    meaning: "How many steps",
    ..MethodOption::new(OptionType::Count)
};

/// Huber's threshold.
pub(in crate::fit) const HUBER_THRESHOLD: MethodOption = MethodOption {
    name: "huber-threshold",
    placeholder: "K",
    meaning: "The threshold of the Huber loss: the largest residual that counts in full, the target's range being \
              [−1, 1]; noise grows with it",
    default: "by the method",
    tasks: &[TaskName::Linear],
    ..MethodOption::new(OptionType::Positive)
};

/// The noise that a paper prints.
pub(in crate::fit) const AS_PUBLISHED: MethodOption = MethodOption {
    name: "as-published",
    meaning: "The noise that the method's paper prints, certified at what is proved for it, if \
              anything is; for comparison only. With frank-wolfe the noise alone is the \
              paper's: its steps are those of step rule standard, without an intercept",
    default: "",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    excludes: &["rho"],
    ..MethodOption::new(OptionType::Flag)
};

/// The clip of gradients.
pub(in crate::fit) const CLIP: MethodOption = MethodOption {
    name: "clip",
    placeholder: "C",
    meaning: "The greatest length of a record's gradient: a longer one is shortened to it; noise grows \
              with it",
    default: "from the loss",
    ..MethodOption::new(OptionType::Positive)
};

/// The penalty that is not convex.
pub(in crate::fit) const SATURATING_PENALTY: MethodOption = MethodOption {
    name: "saturating-penalty",
    placeholder: "L",
    meaning: "L times the sum of w²/(1 + w²) over the weights is added to the mean loss: a penalty that \
              spares large weights and is not convex",
    default: "none",
    tasks: &[TaskName::Logistic],
    without_privacy: true,
    ..MethodOption::new(OptionType::Positive)
};
