//! Wavelet scattering of order 2 (Bruna and Mallat 2013; of images: Oyallon and Mallat 2015).
//!
//! Filters, padding and order of the features are those of kymatio 0.3 (Andreux et al. 2020), which
//! the tests compare with.

mod filters;
mod level;
mod prepared;

use serde::{Deserialize, Serialize};

use crate::colours::Colours;
use crate::error::{FeatureMapError, MOST_OUTPUTS, MOST_WEIGHTS, within};
use crate::group_norm::groups_up_to;
use crate::image::ImageShape;
pub use level::ScatteringLevel;
pub use prepared::PreparedScattering;

/// Scattering of images, each channel by itself, then group normalisation.
///
/// An image x is convolved with wavelets ψ of J scales and L angles, and a modulus is taken: what is
/// left says how much of an edge of that size and direction there is. This is done once more to see
/// how those edges are arranged, and everything is averaged by a low-pass filter φ over about 2ᴶ
/// pixels, so that features hardly change when the image moves a little:
///
/// | order | feature | how many |
/// |---|---|---|
/// | 0 | x ∗ φ | 1 |
/// | 1 | \|x ∗ ψ(j₁, θ₁)\| ∗ φ | J·L |
/// | 2 | \|\|x ∗ ψ(j₁, θ₁)\| ∗ ψ(j₂, θ₂)\| ∗ φ, j₂ > j₁ | J(J − 1)/2·L² |
///
/// A row is divided by its largest magnitude first, so pixels may have any unit and range; features
/// of pixels from 0 to 1 and from 0 to 255 are the same up to rounding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scattering {
    /// The images that rows are.
    pub image: ImageShape,
    /// J: wavelets grow up to 2ᴶ⁻¹ times the finest ones, and there is one feature of each path
    /// for about every 2ᴶ × 2ᴶ pixels. Default 2.
    pub scales: u32,
    /// L, the angles of wavelets, over half a turn. Default 8.
    pub angles: u32,
    /// Groups of channels that are normalised together, each neighbouring ones; a channel is one
    /// path of one colour. Default: the largest divisor of the channels that is at most 27.
    ///
    /// 27 is what Tramèr and Boneh (2021) use for 81 paths. Few groups keep how strong one path is
    /// relative to another, many bring weak paths up to the same norm.
    pub groups: u32,
    /// What wavelets see of the colours. Default: opponent colours of images of three channels, and any
    /// others as they are. A description that does not say has them as they are.
    #[serde(default)]
    pub colours: Colours,
}

/// A path through the wavelets: none for order 0, one for order 1, two for order 2; each wavelet by
/// its scale and angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScatteringPath {
    /// j₁ and the number of θ₁.
    pub first: Option<(u32, u32)>,
    /// j₂ and the number of θ₂.
    pub second: Option<(u32, u32)>,
}

impl Scattering {
    /// With J = 2, L = 8 and 27 groups: 3969 features of 28 × 28 pixels, 15552 of 3 × 32 × 32.
    pub fn new(image: ImageShape) -> Self {
        let mut map = Self {
            image,
            scales: 2,
            angles: 8,
            groups: 1,
            colours: Colours::suiting(image),
        };
        map.groups = groups_up_to(27, map.channels());
        map
    }

    /// 1 + J·L + J(J − 1)/2·L², the features of one colour at one place.
    fn path_count(&self) -> u64 {
        let (scales, angles) = (u64::from(self.scales), u64::from(self.angles));
        let pairs = scales.saturating_mul(scales.saturating_sub(1)) / 2;
        let first = scales.saturating_mul(angles);
        let second = pairs.saturating_mul(angles).saturating_mul(angles);
        first.saturating_add(second).saturating_add(1)
    }

    /// Paths of all colours.
    pub(crate) fn channels(&self) -> u64 {
        self.path_count().saturating_mul(self.image.channels.into())
    }

    /// All paths of one colour, in the order of the features.
    pub fn paths(&self) -> Vec<ScatteringPath> {
        (0..self.path_count())
            .map(|index| self.path(index))
            .collect()
    }

    /// Order 0, then order 1 by scale and angle, then order 2 by the first wavelet and the second.
    fn path(&self, index: u64) -> ScatteringPath {
        let angles = u64::from(self.angles);
        let wavelet = |index: u64| Some(((index / angles) as u32, (index % angles) as u32));
        let path = |first, second| ScatteringPath { first, second };
        let Some(first) = index.checked_sub(1) else {
            return path(None, None);
        };
        let Some(mut pair) = first.checked_sub(u64::from(self.scales) * angles) else {
            return path(wavelet(first), None);
        };
        let mut scale = 0;
        loop {
            // What follows a wavelet of this scale: all of coarser scales.
            let coarser = u64::from(self.scales).saturating_sub(scale + 1).max(1) * angles;
            if pair < angles * coarser {
                let first = scale * angles + pair / coarser;
                let second = (scale + 1) * angles + pair % coarser;
                return path(wavelet(first), wavelet(second));
            }
            pair -= angles * coarser;
            scale += 1;
        }
    }

    /// Rows and columns of each path.
    pub fn grid(&self) -> (usize, usize) {
        let side = |pixels: u32| (self.padded(pixels) >> self.scales.min(31)).saturating_sub(2);
        (side(self.image.height), side(self.image.width))
    }

    /// The side of a padded image: a multiple of 2ᴶ, with at least half of 2ᴶ more at each end.
    fn padded(&self, pixels: u32) -> usize {
        let step = 1u64 << self.scales.min(31);
        let padded = ((u64::from(pixels) + step) / step + 1) * step;
        usize::try_from(padded).unwrap_or(usize::MAX)
    }

    pub(crate) fn outputs(&self) -> usize {
        let (rows, columns) = self.grid();
        let cells = (rows as u64).saturating_mul(columns as u64);
        let outputs = self.channels().saturating_mul(cells);
        usize::try_from(outputs).unwrap_or(usize::MAX)
    }

    pub(crate) fn check(&self) -> Result<(), FeatureMapError> {
        self.image.check()?;
        self.colours.check(self.image)?;
        let side = self.image.height.min(self.image.width);
        within("smaller image side", side.into(), 3, 1024)?;
        // Padding mirrors up to 2ᴶ pixels at an edge, which is not one of them.
        let most = (side - 1).ilog2();
        within("scales", self.scales.into(), 1, most.into())?;
        within("angles", self.angles.into(), 1, 64)?;
        within("outputs", self.outputs() as u64, 1, MOST_OUTPUTS)?;
        let plane = self.padded(self.image.height) * self.padded(self.image.width);
        let filters = u64::from(self.scales * self.angles) * 2 * plane as u64;
        within("numbers in its filters", filters, 1, MOST_WEIGHTS)?;
        within("groups", self.groups.into(), 1, self.channels())?;
        if !self.channels().is_multiple_of(self.groups.into()) {
            return Err(FeatureMapError::Groups {
                groups: self.groups,
                channels: self.channels(),
            });
        }
        Ok(())
    }

    /// Colour if there are several, wavelets as scale and angle, then place.
    pub(crate) fn output_name(&self, j: usize) -> String {
        let (rows, columns) = self.grid();
        let (place, channel) = (j % (rows * columns), j / (rows * columns));
        let paths = self.path_count() as usize;
        let path = self.path((channel % paths) as u64);
        let mut name = String::new();
        if self.image.channels > 1 {
            name += &format!("c{} ", channel / paths);
        }
        match path.first {
            None => name += "mean ",
            Some((scale, angle)) => name += &format!("j{scale}a{angle} "),
        }
        if let Some((scale, angle)) = path.second {
            name += &format!("j{scale}a{angle} ");
        }
        name + &format!("y{}x{}", place / columns, place % columns)
    }
}

#[cfg(test)]
mod tests;
