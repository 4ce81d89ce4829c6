//! Fixed, public feature maps that come before a linear model.
//!
//! A map is a function of one row of numbers and of public numbers alone: its kind, its sizes and
//! a seed, which model files state in full. It learns nothing from data, and this crate knows
//! nothing of privacy. What a model gains: pictures and curved boundaries come within reach of a
//! linear model, whose private fit is well understood.
//!
//! ```
//! use reticent_features::{FeatureMap, Scattering};
//!
//! let map = FeatureMap::Scattering(Scattering::new("28x28".parse()?));
//! assert_eq!((map.inputs(), map.outputs()), (784, 3969));
//!
//! let prepared = map.prepare()?;
//! let mut scratch = prepared.scratch();
//! let mut features = vec![0.0; prepared.outputs()];
//! prepared.apply(&[0.5; 784], &mut scratch, &mut features);
//! # Ok::<(), reticent_features::FeatureMapError>(())
//! ```
//!
//! What holds for every map:
//!
//! - The features of a row have ℓ₂ norm at most 1, up to rounding. A row with a NaN or an infinity
//!   becomes all zeros.
//! - The same description gives the same bits on every platform and any number of threads: only
//!   +, −, ×, ÷ and √ of IEEE 754, and the functions of `libm`, take part.
//! - A description may come from an untrusted file: [`FeatureMap::check`] refuses sizes that make
//!   no sense or would take more memory than [`MOST_WEIGHTS`] and [`MOST_OUTPUTS`] allow.

mod colours;
mod convolutions;
mod declared;
mod error;
mod fft;
mod fourier;
mod group_norm;
mod image;
mod map;
mod random;
mod scattering;

pub use colours::Colours;
pub use convolutions::{PreparedConvolutions, RandomConvolutions};
pub use declared::{DeclaredConvolutions, DeclaredFourier, DeclaredMap, DeclaredScattering};
pub use error::{FeatureMapError, MOST_OUTPUTS, MOST_WEIGHTS};
pub use fourier::{PreparedFourier, RandomFourier};
pub use group_norm::EPSILON;
pub use image::ImageShape;
pub use map::{FeatureMap, PreparedMap, Scratch};
pub use scattering::{PreparedScattering, Scattering, ScatteringLevel, ScatteringPath};
