//! Parameters of the table that contradict each other, reported in the caller's parameter style.
//! Those of methods are found from their declarations: [`MethodRequest::check_options`].
//!
//! [`MethodRequest::check_options`]: crate::fit::MethodRequest::check_options

use super::{FitRequest, ParameterStyle, Refused, TaskName};
use crate::privacy::Adjacency;
use crate::table::ClassWeight;

fn conflict(what: String, remedy: impl Into<String>) -> Result<(), Refused> {
    Err(Refused::conflict(what, remedy))
}

impl FitRequest {
    /// Refuses what contradicts the task, the schema or the adjacency.
    pub(super) fn check_table(&self, style: ParameterStyle, task: TaskName) -> Result<(), Refused> {
        if task != TaskName::Linear && self.range.is_some() {
            let range = style.name("target-range");
            return conflict(
                format!(
                    "{range} was given, but {} has classes, not numbers",
                    style.set("task", task.name())
                ),
                match style {
                    ParameterStyle::Flags => format!("leave {range} out, or use --task linear"),
                    ParameterStyle::Arguments => format!("leave {range} out"),
                },
            );
        }
        if self.schema && self.range.is_some() {
            let range = style.name("target-range");
            let what = format!("{range} was given, and the schema declares it");
            return conflict(what, "leave it out");
        }
        if self.schema && self.classes.is_some() {
            let classes = style.name("classes");
            let what = format!("{classes} was given, and the schema declares them");
            return conflict(what, "leave it out");
        }
        if task == TaskName::Linear && self.classes.is_some() {
            let classes = style.name("classes");
            let linear = style.set("task", "linear");
            return conflict(
                format!("{classes} was given, but {linear} has numbers, not classes"),
                match style {
                    ParameterStyle::Flags => {
                        format!("leave {classes} out, or use --task logistic or multinomial")
                    }
                    ParameterStyle::Arguments => format!("leave {classes} out"),
                },
            );
        }
        self.check_class_weight(style, task)?;
        self.check_public_n(style)
    }

    /// Refuses class weights where they mean nothing.
    fn check_class_weight(&self, style: ParameterStyle, task: TaskName) -> Result<(), Refused> {
        let Some(class_weight) = &self.class_weight else {
            return Ok(());
        };
        let weight = style.name("class-weight");
        let leave_out = format!("leave {weight} out");
        if task == TaskName::Linear {
            let linear = style.set("task", "linear");
            let what = format!("{weight} was given, but {linear} has numbers, not classes");
            return conflict(what, leave_out);
        }
        if self.epsilon == Some(f64::INFINITY) {
            let what = format!("{weight} was given, and models without privacy do not take it");
            return conflict(what, leave_out);
        }
        if !self.intercept {
            let what =
                format!("{weight} was given, and without an intercept there is no base rate");
            return conflict(what, format!("{leave_out}, or keep the intercept"));
        }
        if self.adjacency == Adjacency::AddRemove {
            // Sums have room for 2³² records there, and shares of a few steps are rounded away.
            let what = format!(
                "{weight} was given, and under add-remove adjacency records that count for little \
                 would be rounded to nothing"
            );
            let replace = style.set("adjacency", "replace-one");
            return conflict(what, format!("{leave_out}, or use {replace}"));
        }
        let count = self.classes.as_ref().map(Vec::len);
        let count = count.or((task == TaskName::Logistic).then_some(2));
        if let ClassWeight::Numbers(weights) = class_weight
            && !class_weight.fits(count.unwrap_or(weights.len()))
        {
            let what = format!("{weight} is not one finite number above 0 for each class");
            return conflict(
                what,
                format!(
                    "list one per class, or write {}",
                    style.set("class-weight", ClassWeight::BALANCED)
                ),
            );
        }
        Ok(())
    }

    /// Refuses a public number of records in the place of one that is public itself.
    pub(super) fn check_public_n(&self, style: ParameterStyle) -> Result<(), Refused> {
        if self.adjacency == Adjacency::ReplaceOne && self.public_n.is_some() {
            let public = style.name("public-n");
            return conflict(
                format!(
                    "{public} was given, but under replace-one adjacency the number of records is \
                     public itself"
                ),
                format!(
                    "leave {public} out, or use {} to keep the number of records private",
                    style.set("adjacency", "add-remove")
                ),
            );
        }
        Ok(())
    }
}
