//! Made-up patients: a table to learn from, with a known truth.

use std::fmt::Write;

use reticent::noise::{Randomness, SeededGenerator};

/// What is measured of a patient.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    pub name: &'static str,
    /// What any such table could hold: public.
    pub bounds: (f64, f64),
    law: Law,
    /// How much it adds to the log-odds of the disease as it goes from the centre of its bounds to
    /// the upper one.
    pub effect: f64,
}

#[derive(Debug, Clone, Copy)]
enum Law {
    /// Bell-shaped around a mean, with a spread, and so many decimals.
    Bell(f64, f64, usize),
    /// Uniform, in whole numbers.
    Flat,
    /// Yes (1) for this share of the patients, no (0) for the others.
    Yes(f64),
}

const fn bell(
    name: &'static str,
    bounds: (f64, f64),
    mean: f64,
    spread: f64,
    effect: f64,
) -> Measure {
    Measure {
        name,
        bounds,
        law: Law::Bell(mean, spread, 1),
        effect,
    }
}

const fn flat(name: &'static str, low: f64, high: f64) -> Measure {
    Measure {
        name,
        bounds: (low, high),
        law: Law::Flat,
        effect: 0.0,
    }
}

const fn yes(name: &'static str, share: f64, effect: f64) -> Measure {
    Measure {
        name,
        bounds: (0.0, 1.0),
        law: Law::Yes(share),
        effect,
    }
}

/// The log-odds of a patient whose measures are all at the centre of their bounds.
const BASE: f64 = 0.9;

/// Eight measures that matter, and 32 that do not.
pub const MEASURES: [Measure; 40] = [
    bell("age", (18.0, 90.0), 54.0, 16.0, 2.2),
    yes("smoker", 0.25, 0.8),
    bell("blood_pressure", (80.0, 200.0), 132.0, 18.0, 1.8),
    bell("cholesterol", (100.0, 350.0), 205.0, 40.0, 1.2),
    bell("bmi", (15.0, 50.0), 27.0, 5.0, 1.2),
    yes("diabetes", 0.12, 0.7),
    yes("family_history", 0.2, 0.5),
    bell("exercise_hours", (0.0, 14.0), 4.0, 2.5, -1.2),
    yes("left_handed", 0.11, 0.0),
    yes("born_in_winter", 0.25, 0.0),
    yes("wears_glasses", 0.6, 0.0),
    yes("owns_a_cat", 0.3, 0.0),
    yes("owns_a_dog", 0.3, 0.0),
    yes("rents_a_flat", 0.5, 0.0),
    yes("likes_jazz", 0.2, 0.0),
    yes("brown_eyes", 0.6, 0.0),
    yes("middle_name", 0.4, 0.0),
    yes("gardens", 0.35, 0.0),
    yes("plays_chess", 0.1, 0.0),
    yes("drives_to_work", 0.6, 0.0),
    flat("siblings", 0.0, 8.0),
    flat("shoe_size", 34.0, 48.0),
    flat("street_number", 1.0, 200.0),
    flat("floor", 0.0, 12.0),
    flat("books_a_year", 0.0, 50.0),
    flat("cups_of_tea", 0.0, 8.0),
    flat("lucky_number", 0.0, 99.0),
    flat("weekday_of_birth", 1.0, 7.0),
    flat("month_of_visit", 1.0, 12.0),
    flat("hour_of_visit", 8.0, 17.0),
    flat("room", 1.0, 40.0),
    flat("nurse", 1.0, 60.0),
    bell("commute_minutes", (0.0, 120.0), 30.0, 15.0, 0.0),
    bell("screen_hours", (0.0, 16.0), 5.0, 2.0, 0.0),
    bell("finger_length", (50.0, 110.0), 75.0, 7.0, 0.0),
    bell("head_size", (48.0, 66.0), 57.0, 2.0, 0.0),
    bell("height", (140.0, 210.0), 172.0, 10.0, 0.0),
    bell("distance_to_clinic", (0.0, 100.0), 20.0, 12.0, 0.0),
    bell("waiting_minutes", (0.0, 180.0), 40.0, 25.0, 0.0),
    bell("room_temperature", (15.0, 30.0), 21.5, 1.5, 0.0),
];

/// One patient, as a row of the table.
pub struct Patient {
    /// One field per measure.
    pub fields: Vec<String>,
    /// Whether the patient is ill.
    pub ill: bool,
}

/// Invents patients. The seed is public, and so are they.
pub fn invent(count: usize, seed: u64) -> Vec<Patient> {
    let mut bits = SeededGenerator::not_private(seed);
    (0..count).map(|_| patient(&mut bits)).collect()
}

fn patient(bits: &mut SeededGenerator) -> Patient {
    let mut log_odds = BASE;
    let fields = MEASURES
        .iter()
        .map(|measure| {
            let (low, high) = measure.bounds;
            let (value, decimals) = match measure.law {
                Law::Yes(share) => (f64::from(uniform(bits) < share), 0),
                Law::Flat => ((low + uniform(bits) * (high - low + 1.0)).floor(), 0),
                Law::Bell(mean, spread, decimals) => (mean + spread * normal(bits), decimals),
            };
            let value = value.clamp(low, high);
            log_odds += measure.effect * (2.0 * (value - low) / (high - low) - 1.0);
            format!("{value:.decimals$}")
        })
        .collect();
    Patient {
        fields,
        ill: uniform(bits) < 1.0 / (1.0 + (-log_odds).exp()),
    }
}

/// Between 0 and 1.
fn uniform(bits: &mut SeededGenerator) -> f64 {
    (bits.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Nearly normal, which is enough for made-up people: the sum of twelve uniforms.
fn normal(bits: &mut SeededGenerator) -> f64 {
    (0..12).map(|_| uniform(bits)).sum::<f64>() - 6.0
}

/// The schema of the table.
pub fn schema() -> String {
    let mut toml = String::from(
        "# What any such table could hold: chosen without looking at the patients.\nversion = 1\n",
    );
    for Measure {
        name,
        bounds: (low, high),
        ..
    } in MEASURES
    {
        // Writing to a String cannot fail, here and below.
        let _ = write!(
            toml,
            "\n[[column]]\nname = \"{name}\"\nkind = \"numeric\"\nbounds = [{low:?}, {high:?}]\n"
        );
    }
    toml.push_str(
        "\n[[column]]\nname = \"heart_disease\"\nkind = \"target\"\nclasses = [\"no\", \"yes\"]\n",
    );
    toml
}

/// The table as CSV.
pub fn csv(patients: &[Patient]) -> String {
    let mut text = String::new();
    for measure in MEASURES {
        text.push_str(measure.name);
        text.push(',');
    }
    text.push_str("heart_disease\n");
    for patient in patients {
        let ill = if patient.ill { "yes" } else { "no" };
        let _ = writeln!(text, "{},{ill}", patient.fields.join(","));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patients_stay_within_the_bounds_that_the_schema_states() {
        let patients = invent(2000, 7);
        for patient in &patients {
            assert_eq!(patient.fields.len(), MEASURES.len());
            for (field, measure) in patient.fields.iter().zip(MEASURES) {
                let value: f64 = field.parse().unwrap();
                let (low, high) = measure.bounds;
                assert!((low..=high).contains(&value), "{} {value}", measure.name);
            }
        }
        // Six standard deviations of a share of 2000 are 0.07.
        let ill = patients.iter().filter(|patient| patient.ill).count();
        assert!((500..=1500).contains(&ill), "{ill}");
    }

    #[test]
    fn the_table_has_one_line_per_patient_and_one_field_per_measure() {
        let text = csv(&invent(3, 1));
        assert_eq!(text.lines().count(), 4);
        assert!(
            text.lines()
                .all(|line| line.split(',').count() == MEASURES.len() + 1)
        );
    }
}
