//! What the colours of an image are before a map sees them.

use serde::{Deserialize, Serialize};

use crate::error::FeatureMapError;
use crate::image::ImageShape;

/// What the channels of a pixel become, each pixel by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colours {
    /// They stay as they are.
    #[default]
    AsGiven,
    /// Of red, green and blue: brightness (r + g + b)/3, and the differences (r − b)/2 and
    /// (2g − r − b)/4. Red, green and blue of a photograph are nearly the same image three times;
    /// these are not, so that a model of the same size is told more.
    Opponent,
}

impl Colours {
    /// What suits images of this shape: opponent colours if there are three channels.
    pub fn suiting(image: ImageShape) -> Self {
        match image.channels {
            3 => Self::Opponent,
            _ => Self::AsGiven,
        }
    }

    /// Each new channel as a sum of the old ones, if they change: row after row.
    pub fn matrix(self) -> Option<[[f32; 3]; 3]> {
        const THIRD: f32 = 1.0 / 3.0;
        match self {
            Self::AsGiven => None,
            Self::Opponent => Some([[THIRD, THIRD, THIRD], [0.5, 0.0, -0.5], [-0.25, 0.5, -0.25]]),
        }
    }

    /// Refuses colours that images of this shape do not have.
    pub(crate) fn check(self, image: ImageShape) -> Result<(), FeatureMapError> {
        match self {
            Self::Opponent if image.channels != 3 => Err(FeatureMapError::Colours(image.channels)),
            _ => Ok(()),
        }
    }

    /// Changes the channels of an image, of which each is a run of pixels.
    pub(crate) fn apply(self, image: &mut [f32]) {
        let Some(matrix) = self.matrix() else { return };
        let (red, rest) = image.split_at_mut(image.len() / 3);
        let (green, blue) = rest.split_at_mut(red.len());
        for ((r, g), b) in red.iter_mut().zip(green).zip(blue) {
            let pixel = [*r, *g, *b];
            let of = |row: [f32; 3]| row[0] * pixel[0] + row[1] * pixel[1] + row[2] * pixel[2];
            [*r, *g, *b] = matrix.map(of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponent_colours_are_brightness_and_two_differences() {
        let mut image = vec![1.0, 0.5, 0.25, 0.5, 0.5, 0.5];
        Colours::Opponent.apply(&mut image);
        let expected = [(1.0 + 0.25 + 0.5) / 3.0, 0.5, 0.25, 0.0, -0.25, 0.0];
        for (found, expected) in image.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{image:?}");
        }
    }

    #[test]
    fn only_three_channels_have_opponent_colours() {
        for (shape, suits) in [("28x28", false), ("3x32x32", true), ("4x8x8", false)] {
            let shape: ImageShape = shape.parse().unwrap();
            assert_eq!(Colours::Opponent.check(shape).is_ok(), suits);
            assert_eq!(Colours::suiting(shape) == Colours::Opponent, suits);
            assert!(Colours::suiting(shape).check(shape).is_ok());
        }
    }
}
