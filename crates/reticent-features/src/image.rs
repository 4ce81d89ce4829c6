//! The shape of the images that rows are.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{FeatureMapError, MOST_OUTPUTS, within};

/// Channels, height and width. A row has its pixels in this order: all rows of the first channel,
/// then those of the next.
///
/// Written `1x28x28`, also in files; `28x28` is read as one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageShape {
    /// Colours: 1 for grey images, 3 for red, green and blue.
    pub channels: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Columns of pixels.
    pub width: u32,
}

impl ImageShape {
    /// The pixels of all channels: the length of a row.
    pub fn pixels(&self) -> usize {
        [self.channels, self.height, self.width]
            .iter()
            .fold(1usize, |product, &size| {
                product.saturating_mul(size as usize)
            })
    }

    /// Refuses sizes of 0, images of too many pixels, and what is most likely height, width and
    /// channels in this order.
    pub(crate) fn check(&self) -> Result<(), FeatureMapError> {
        if self.has_channels_last() {
            return Err(FeatureMapError::ChannelsLast {
                channels: self.channels,
                height: self.height,
                width: self.width,
            });
        }
        within("image channels", self.channels.into(), 1, 64)?;
        within("image height", self.height.into(), 1, 1024)?;
        within("image width", self.width.into(), 1, 1024)?;
        within("pixels", self.pixels() as u64, 1, MOST_OUTPUTS)
    }
}

/// The most colours of common images: red, green, blue and opacity.
const COLOURS: u32 = 4;

impl ImageShape {
    /// Whether the last size is one of colours, and the first two are not: most libraries of images
    /// have channels last. Nobody has strips of four pixels in five colours or more.
    fn has_channels_last(&self) -> bool {
        (1..=COLOURS).contains(&self.width) && self.channels > COLOURS && self.height > COLOURS
    }
}

impl fmt::Display for ImageShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.channels, self.height, self.width)
    }
}

impl FromStr for ImageShape {
    type Err = FeatureMapError;

    fn from_str(text: &str) -> Result<Self, FeatureMapError> {
        let sizes: Option<Vec<u32>> = text.split('x').map(|size| size.parse().ok()).collect();
        let (channels, height, width) = match sizes.as_deref() {
            Some(&[height, width]) => (1, height, width),
            Some(&[channels, height, width]) => (channels, height, width),
            _ => return Err(FeatureMapError::Shape(text.chars().take(40).collect())),
        };
        let shape = Self {
            channels,
            height,
            width,
        };
        shape.check()?;
        Ok(shape)
    }
}

impl TryFrom<String> for ImageShape {
    type Error = FeatureMapError;

    fn try_from(text: String) -> Result<Self, FeatureMapError> {
        text.parse()
    }
}

impl From<ImageShape> for String {
    fn from(shape: ImageShape) -> String {
        shape.to_string()
    }
}
