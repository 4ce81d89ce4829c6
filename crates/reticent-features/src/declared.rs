//! Maps as a person declares them: what is left out has its default, or follows from the table.

use serde::{Deserialize, Serialize};

use crate::colours::Colours;
use crate::convolutions::RandomConvolutions;
use crate::error::FeatureMapError;
use crate::fourier::RandomFourier;
use crate::group_norm::groups_up_to;
use crate::image::ImageShape;
use crate::map::FeatureMap;
use crate::scattering::Scattering;

/// A map as it is declared, in a file or by flags: [`of`](Self::of) makes a [`FeatureMap`] of it,
/// once the number of columns is known.
///
/// ```
/// use reticent_features::{DeclaredFourier, DeclaredMap};
///
/// let declared = DeclaredMap::Fourier(DeclaredFourier { outputs: 500, scale: None, seed: 7 });
/// assert_eq!((declared.inputs(), declared.outputs()), (None, 500));
/// assert_eq!(declared.of(9)?.inputs(), 9);
/// # Ok::<(), reticent_features::FeatureMapError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DeclaredMap {
    /// Of [`Scattering`].
    Scattering(DeclaredScattering),
    /// Of [`RandomConvolutions`].
    RandomConvolutions(DeclaredConvolutions),
    /// Of [`RandomFourier`].
    Fourier(DeclaredFourier),
}

/// [`Scattering`], whose fields are described there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the map")]
pub struct DeclaredScattering {
    pub image: ImageShape,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scales: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angles: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colours: Option<Colours>,
}

/// [`RandomConvolutions`], whose fields are described there; without a seed it is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the map")]
pub struct DeclaredConvolutions {
    pub image: ImageShape,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<u32>,
    #[serde(default)]
    pub seed: u64,
}

/// [`RandomFourier`], whose fields are described there: it takes as many columns as there are.
/// Without a seed it is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the map")]
pub struct DeclaredFourier {
    pub outputs: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    #[serde(default)]
    pub seed: u64,
}

impl DeclaredMap {
    /// The kind, as it is written in files and flags.
    pub fn name(&self) -> &'static str {
        self.over(1).name()
    }

    /// The number of columns that it takes, if it does not take any number.
    pub fn inputs(&self) -> Option<usize> {
        match self {
            Self::Fourier(_) => None,
            Self::Scattering(map) => Some(map.image.pixels()),
            Self::RandomConvolutions(map) => Some(map.image.pixels()),
        }
    }

    /// How many features there are, of any number of columns.
    pub fn outputs(&self) -> usize {
        self.over(1).outputs()
    }

    /// Refuses what makes no sense for any table.
    pub fn check(&self) -> Result<(), FeatureMapError> {
        self.over(1).check()
    }

    /// The same with every default that does not depend on the number of columns: two declarations
    /// of one map are then equal.
    pub fn in_full(&self) -> Self {
        match self {
            Self::Scattering(declared) => {
                let map = declared.map();
                Self::Scattering(DeclaredScattering {
                    scales: Some(map.scales),
                    angles: Some(map.angles),
                    groups: Some(map.groups),
                    colours: Some(map.colours),
                    ..declared.clone()
                })
            }
            Self::RandomConvolutions(declared) => {
                let map = declared.map();
                Self::RandomConvolutions(DeclaredConvolutions {
                    filters: Some(map.filters),
                    patch: Some(map.patch),
                    cells: Some(map.cells),
                    threshold: Some(map.threshold),
                    groups: Some(map.groups),
                    ..declared.clone()
                })
            }
            Self::Fourier(declared) => Self::Fourier(declared.clone()),
        }
    }

    /// The map for rows of so many columns; refuses a map of images of another size.
    pub fn of(&self, columns: usize) -> Result<FeatureMap, FeatureMapError> {
        let map = self.over(u32::try_from(columns).unwrap_or(u32::MAX));
        map.check()?;
        map.check_columns(columns)?;
        Ok(map)
    }

    /// The map, unchecked; only one that takes any number of columns depends on theirs.
    fn over(&self, columns: u32) -> FeatureMap {
        match self {
            Self::Scattering(declared) => FeatureMap::Scattering(declared.map()),
            Self::RandomConvolutions(declared) => FeatureMap::RandomConvolutions(declared.map()),
            Self::Fourier(declared) => {
                let mut map = RandomFourier::new(columns, declared.outputs, declared.seed);
                map.scale = declared.scale.unwrap_or(map.scale);
                FeatureMap::Fourier(map)
            }
        }
    }
}

impl DeclaredScattering {
    /// Of this shape, and otherwise by default.
    pub fn new(image: ImageShape) -> Self {
        Self {
            image,
            scales: None,
            angles: None,
            groups: None,
            colours: None,
        }
    }

    fn map(&self) -> Scattering {
        let usual = Scattering::new(self.image);
        let mut map = Scattering {
            scales: self.scales.unwrap_or(usual.scales),
            angles: self.angles.unwrap_or(usual.angles),
            colours: self.colours.unwrap_or(usual.colours),
            ..usual
        };
        map.groups = self.groups.unwrap_or(groups_up_to(27, map.channels()));
        map
    }
}

impl DeclaredConvolutions {
    /// Of this shape, and otherwise by default.
    pub fn new(image: ImageShape, seed: u64) -> Self {
        Self {
            image,
            filters: None,
            patch: None,
            cells: None,
            threshold: None,
            groups: None,
            seed,
        }
    }

    /// With as many filters as give at least so many features.
    pub fn with_outputs(self, outputs: u32) -> Self {
        let cells = u64::from(self.map().cells).pow(2).max(1);
        let filters = u64::from(outputs).div_ceil(2 * cells);
        Self {
            // No more than the outputs, which fit.
            filters: Some(filters as u32),
            ..self
        }
    }

    fn map(&self) -> RandomConvolutions {
        let usual = RandomConvolutions::new(self.image, self.seed);
        let side = self.image.height.min(self.image.width);
        let patch = self.patch.unwrap_or(usual.patch);
        let most_cells = (side + 1).saturating_sub(patch).clamp(1, 4);
        let filters = self.filters.unwrap_or(usual.filters);
        let groups = groups_up_to(32, 2 * u64::from(filters));
        RandomConvolutions {
            filters,
            patch,
            cells: self.cells.unwrap_or(most_cells),
            threshold: self.threshold.unwrap_or(usual.threshold),
            groups: self.groups.unwrap_or(groups),
            ..usual
        }
    }
}
