//! Why a description of a map is refused, and the limits that it is held to.

/// The most features that a map may have, and the most numbers that it may take.
pub const MOST_OUTPUTS: u64 = 1 << 20;

/// The most numbers (weights, filters) that a prepared map may hold: 256 MiB of `f32`.
pub const MOST_WEIGHTS: u64 = 1 << 26;

/// What is wrong with the description of a feature map. Descriptions are public, so it is quoted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FeatureMapError {
    /// A size outside of its range.
    #[error("feature map: {what} = {given}; it must be from {least} to {most}")]
    Size {
        /// Which size.
        what: &'static str,
        /// The value that was given.
        given: u64,
        /// The least that is accepted.
        least: u64,
        /// The most that is accepted.
        most: u64,
    },
    /// A number that is not finite, or not in its range.
    #[error("feature map: {what} = {given}; it must be {allowed}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The value that was given.
        given: f64,
        /// The values that would have been accepted.
        allowed: &'static str,
    },
    /// Channels that do not fall into equal groups.
    #[error(
        "feature map: {channels} channels can not be split into {groups} equal groups; use a divisor of {channels}"
    )]
    Groups {
        /// The groups that were asked for.
        groups: u32,
        /// The channels there are.
        channels: u64,
    },
    /// Opponent colours of other images than those of three channels.
    #[error(
        "feature map: opponent colours are those of red, green and blue, and the images have {0} channels; leave \
         colours out, or write as-given"
    )]
    Colours(u32),
    /// A table of other rows than the map takes.
    #[error(
        "the map of features takes {takes}, and the table has {given} columns; give the shape of the \
         images that the rows are, and as many columns as they have pixels"
    )]
    Columns {
        /// What the map takes.
        takes: String,
        /// The columns there are.
        given: usize,
    },
    /// A shape that is most likely written with its channels last.
    #[error(
        "feature map: image {channels}x{height}x{width} is read as {channels} channels of \
         {height}x{width} pixels; channels come first: write {width}x{channels}x{height}, with the \
         pixels of a row in that order"
    )]
    ChannelsLast {
        /// What is in the place of the channels.
        channels: u32,
        /// What is in the place of the height.
        height: u32,
        /// What is in the place of the width.
        width: u32,
    },
    /// An image that is not written as one.
    #[error(
        "'{0}' is no image shape; write HEIGHTxWIDTH or CHANNELSxHEIGHTxWIDTH, such as 28x28 or 3x32x32"
    )]
    Shape(String),
}

/// Refuses a size that is not from `least` to `most`.
pub(crate) fn within(
    what: &'static str,
    given: u64,
    least: u64,
    most: u64,
) -> Result<(), FeatureMapError> {
    if (least..=most).contains(&given) {
        Ok(())
    } else {
        Err(FeatureMapError::Size {
            what,
            given,
            least,
            most,
        })
    }
}
