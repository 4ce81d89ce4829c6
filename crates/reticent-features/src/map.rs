//! The maps behind one name: as they are described, and as they are ready to run.

use serde::{Deserialize, Serialize};

use crate::colours::Colours;
use crate::convolutions::{PreparedConvolutions, RandomConvolutions};
use crate::error::FeatureMapError;
use crate::fourier::{PreparedFourier, RandomFourier};
use crate::scattering::{PreparedScattering, Scattering};

/// A fixed map of rows of numbers, described by plain public data: model files have it in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FeatureMap {
    /// Wavelet scattering of images.
    Scattering(Scattering),
    /// Random convolutions of images.
    RandomConvolutions(RandomConvolutions),
    /// Random Fourier features.
    Fourier(RandomFourier),
}

impl FeatureMap {
    /// The kind, as it is written in files and flags.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scattering(_) => "scattering",
            Self::RandomConvolutions(_) => "random-convolutions",
            Self::Fourier(_) => "fourier",
        }
    }

    /// The length of the rows that it takes.
    pub fn inputs(&self) -> usize {
        match self {
            Self::Scattering(map) => map.image.pixels(),
            Self::RandomConvolutions(map) => map.image.pixels(),
            Self::Fourier(map) => map.inputs as usize,
        }
    }

    /// How many features there are. Of a description that [`Self::check`] refuses, any number.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Scattering(map) => map.outputs(),
            Self::RandomConvolutions(map) => map.outputs(),
            Self::Fourier(map) => map.outputs as usize,
        }
    }

    /// Refuses a description that makes no sense or asks for too much, with the reason.
    pub fn check(&self) -> Result<(), FeatureMapError> {
        match self {
            Self::Scattering(map) => map.check(),
            Self::RandomConvolutions(map) => map.check(),
            Self::Fourier(map) => map.check(),
        }
    }

    /// Refuses rows of another length than it takes, with both numbers and the remedy.
    pub fn check_columns(&self, columns: usize) -> Result<(), FeatureMapError> {
        let inputs = self.inputs();
        if inputs == columns {
            return Ok(());
        }
        let takes = match self {
            Self::Scattering(Scattering { image, .. })
            | Self::RandomConvolutions(RandomConvolutions { image, .. }) => {
                format!("images of {image} ({inputs} columns)")
            }
            Self::Fourier(_) => format!("{inputs} columns"),
        };
        Err(FeatureMapError::Columns {
            takes,
            given: columns,
        })
    }

    /// Checks the description, builds filters and draws random weights.
    pub fn prepare(&self) -> Result<PreparedMap, FeatureMapError> {
        self.check()?;
        Ok(match self {
            Self::Scattering(map) => PreparedMap::Scattering(PreparedScattering::new(map)),
            Self::RandomConvolutions(map) => {
                PreparedMap::RandomConvolutions(PreparedConvolutions::new(map))
            }
            Self::Fourier(map) => PreparedMap::Fourier(PreparedFourier::new(map)),
        })
    }

    /// What it is, in a line for a person: its kind, what it takes and how many features it gives.
    pub fn sentence(&self) -> String {
        let outputs = self.outputs();
        match self {
            Self::Scattering(map) => format!(
                "scattering of images {} to {outputs} features, with {} scales, {} angles, {} \
                 groups and {}",
                map.image,
                map.scales,
                map.angles,
                map.groups,
                match map.colours {
                    Colours::AsGiven => "channels as given",
                    Colours::Opponent => "opponent colours",
                }
            ),
            Self::RandomConvolutions(map) => format!(
                "random convolutions of images {} to {outputs} features, with {} filters of {} × \
                 {} pixels, {} × {} cells, threshold {}, {} groups and seed {}",
                map.image,
                map.filters,
                map.patch,
                map.patch,
                map.cells,
                map.cells,
                map.threshold,
                map.groups,
                map.seed
            ),
            Self::Fourier(map) => format!(
                "random Fourier features: {} columns to {outputs}, with scale {} and seed {}",
                map.inputs, map.scale, map.seed
            ),
        }
    }

    /// A short name of feature `j`, such as `j0a3 j1a5 y2x6`.
    pub fn output_name(&self, j: usize) -> String {
        match self {
            Self::Scattering(map) => map.output_name(j),
            Self::RandomConvolutions(map) => map.output_name(j),
            Self::Fourier(_) => format!("cos{j}"),
        }
    }
}

/// A map that is ready to run. Its kinds have what a writer of other formats needs: filters and
/// weights.
#[derive(Debug, Clone)]
pub enum PreparedMap {
    /// Wavelet scattering of images.
    Scattering(PreparedScattering),
    /// Random convolutions of images.
    RandomConvolutions(PreparedConvolutions),
    /// Random Fourier features.
    Fourier(PreparedFourier),
}

/// Working memory of [`PreparedMap::apply`]: one for each thread, and for one map alone.
#[derive(Debug, Clone)]
pub struct Scratch(pub(crate) Vec<f32>);

impl PreparedMap {
    /// How many features there are.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Scattering(map) => map.outputs(),
            Self::RandomConvolutions(map) => map.outputs(),
            Self::Fourier(map) => map.outputs(),
        }
    }

    /// Working memory for one thread.
    pub fn scratch(&self) -> Scratch {
        Scratch(match self {
            Self::Scattering(map) => vec![0.0; map.scratch_length()],
            Self::RandomConvolutions(map) => vec![0.0; map.scratch_length()],
            Self::Fourier(_) => Vec::new(),
        })
    }

    /// Writes the features of one row to `out`: of ℓ₂ norm at most 1, up to rounding, for any row
    /// of finite numbers, and all zeros for a row with a NaN or an infinity.
    ///
    /// # Panics
    ///
    /// If the row has not as many numbers as the map takes, `out` not as many as it gives, or
    /// `scratch` is of another map.
    pub fn apply(&self, row: &[f32], scratch: &mut Scratch, out: &mut [f32]) {
        assert_eq!(out.len(), self.outputs(), "one place per feature");
        match self {
            Self::Scattering(map) => map.apply(row, &mut scratch.0, out),
            Self::RandomConvolutions(map) => map.apply(row, &mut scratch.0, out),
            Self::Fourier(map) => map.apply(row, out),
        }
    }
}
