//! The derivatives from which the scale and the offsets of several classes' margins are fitted.

use super::margins::{ReleasedFunctions, centre};
use super::{LocalSum, Sums};
use crate::loss::residuals;
use crate::noise::Grid;
use crate::population::Population;
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::privacy::Adjacency;

/// The largest number of bits of the number 1.
const MOST_BITS: u32 = 34;
/// C: one record's terms are shortened to this length. Those of badly predicted records are longer
/// than 1: shortened to that, they no longer outweigh the others, and the scale comes out a quarter
/// too large. Below √2, the length of the residuals of a record that surely has another class: beyond,
/// no two records could be 2·C apart. A whole number of grid steps: rounded down, shortened terms would
/// now and then be longer than that, and add nothing.
const LONGEST: f64 = 1.40625;
/// What the derivatives in the scale are multiplied by.
const SCALED: f64 = 2.0;

/// Derivatives of the softmax loss in a common scale a and an offset cₗ per class, at the
/// probabilities p of a·t/L + c, where t are a record's margins less their mean, and
/// τ = t/max(‖t‖, L): Σ rₗ for each class, 2·Σ⟨r, τ⟩, Σ pₗ(1 − pₗ) for each class, and
/// 2·Σ(⟨p, τ²⟩ − ⟨p, τ⟩²). r is p, less 1 for the record's own class.
///
/// # Privacy
///
/// What a record adds is a function of itself and of public or released numbers, shortened to C = 45/32
/// and truncated towards zero to whole steps; should floats have left it longer than that, compared in
/// integers, it adds nothing. (A share of it is truncated again, and no longer than that share of C.) So one record added or removed moves the sums by at most C, one replaced by 2·C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassCalibration<'a> {
    /// The model: one function per class.
    pub model: ReleasedFunctions<'a>,
    /// L.
    pub level: f64,
    /// a.
    pub scale: f64,
    /// cₗ.
    pub offsets: &'a [f64],
}

/// The sums, as they are released.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassDerivatives {
    /// In each offset.
    pub offsets: Vec<f64>,
    /// In the scale.
    pub scale: f64,
    /// The second derivative in each offset.
    pub offset_curvatures: Vec<f64>,
    /// The second derivative in the scale.
    pub scale_curvature: f64,
}

/// The same with its grid.
struct Whole<'a> {
    question: &'a ClassCalibration<'a>,
    /// Steps in 1.
    steps: f64,
    /// C in steps.
    most: u64,
}

impl ClassCalibration<'_> {
    /// How far one record can move the sums.
    pub fn moved(adjacency: Adjacency) -> f64 {
        f64::from(adjacency.differing_records()) * LONGEST
    }

    /// The sums over a population.
    ///
    /// # Panics
    ///
    /// If the functions are not those of the classes.
    pub fn ask(&self, population: &dyn Population) -> Query<'static> {
        let shape = population.shape();
        self.model.check(&shape);
        assert_eq!(self.offsets.len(), self.model.count(), "offsets");
        let records = shape.most_records().max(1) as u64;
        let bits = (60 - records.ilog2()).min(MOST_BITS);
        let grid = Grid::new(-(bits as i32)).expect("a small exponent");
        let steps = (1u64 << bits) as f64;
        let most = (LONGEST * steps) as u64;
        let whole = Whole {
            question: self,
            steps,
            most,
        };
        let sums = population.sum(&whole).0;
        let sensitivity = Sensitivity::of(RecordSteps::L2(most), sums.len(), shape.adjacency);
        Query::new(
            "class calibration",
            sums,
            grid,
            shape.adjacency,
            sensitivity,
        )
    }

    /// Arranges what was released.
    pub fn unpack(released: &[f64]) -> ClassDerivatives {
        let (first, second) = released.split_at(released.len() / 2);
        let split = |half: &[f64]| {
            let (scale, offsets) = half.split_last().unwrap_or((&0.0, &[]));
            (offsets.to_vec(), scale / SCALED)
        };
        let ((offsets, scale), (offset_curvatures, scale_curvature)) =
            (split(first), split(second));
        ClassDerivatives {
            offsets,
            scale,
            offset_curvatures,
            scale_curvature,
        }
    }
}

impl LocalSum for Whole<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let ClassCalibration {
            model,
            level,
            scale,
            offsets,
        } = *self.question;
        let classes = model.count();
        model.sums(records, 2 * classes + 2, |margins, class, terms| {
            centre(margins);
            let length = margins.iter().map(|t| t * t).sum::<f64>().sqrt();
            let tau: Vec<f64> = margins.iter().map(|t| t / length.max(level)).collect();
            for (margin, offset) in margins.iter_mut().zip(offsets) {
                *margin = scale * *margin / level + offset;
            }
            residuals(margins, class);
            let p = |l: usize| margins[l] + f64::from(u8::from(l == class));
            let product = |values: &dyn Fn(usize) -> f64| -> f64 {
                tau.iter().enumerate().map(|(l, tau)| values(l) * tau).sum()
            };
            let mean = product(&p);
            let square = product(&|l| p(l) * tau[l]);
            let first = margins
                .iter()
                .copied()
                .chain([SCALED * product(&|l| margins[l])]);
            let second = (0..classes).map(|l| p(l) * (1.0 - p(l)));
            let values: Vec<f64> = first
                .chain(second)
                .chain([SCALED * (square - mean * mean)])
                .collect();
            let length = values.iter().map(|x| x * x).sum::<f64>().sqrt();
            let factor = self.steps * (LONGEST / length.max(LONGEST));
            for (term, value) in terms.iter_mut().zip(values) {
                // The cast truncates, and turns what is not a number into 0.
                *term = (value * factor) as i64;
            }
            let square = |term: &i64| u128::from(term.unsigned_abs()).pow(2);
            if terms.iter().map(square).sum::<u128>() > u128::from(self.most).pow(2) {
                terms.fill(0);
            }
        })
    }
}
