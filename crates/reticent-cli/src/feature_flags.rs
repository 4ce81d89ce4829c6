//! The flags of a fixed, public map from rows to features before the model.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use reticent::features::{
    DeclaredConvolutions, DeclaredFourier, DeclaredMap, DeclaredScattering, FeatureMap, ImageShape,
    MOST_OUTPUTS, RandomFourier,
};
use reticent::privacy::OutOfRange;

use crate::parse_number;
use crate::refusal::{self, Refusal};

const FEATURES: &str = "Features (a fixed, public map of each row before the model)";

/// The kinds of maps, and what each is for.
const KINDS: [(&str, &str); 3] = [
    (
        "scattering",
        "of images: how strong edges of each size and direction are where; the best for most images",
    ),
    (
        "random-convolutions",
        "of images: how well random patches fit where; quicker, and as many as you like",
    ),
    (
        "fourier",
        "of other tables: random waves over all columns, for boundaries that bend",
    ),
];

/// Whether there is a map, and which.
#[derive(Debug, Args)]
pub struct FeatureFlags {
    /// Fit the model on features of each row instead of its columns: a map that is fixed in advance,
    /// so that it costs no privacy; the model file holds it, and predict applies it
    /// [with --schema: its table [features]]
    ///
    /// The bound of --rows is then that of a row of features, enforced after the map [default: l2=1,
    /// which no map exceeds]. Values need no bound before the map, but fourier tells rows apart only
    /// where columns are within about [−1, 1], as those of a schema are; images may have any unit.
    #[arg(long, value_name = "MAP", help_heading = FEATURES, value_parser = kinds())]
    features: Option<String>,

    /// The images that rows are, for scattering and random-convolutions: 28x28, or 3x32x32 with
    /// colours first
    #[arg(long, value_name = "SHAPE", help_heading = FEATURES, requires = "features")]
    image: Option<ImageShape>,

    /// How many features fourier makes, or at least how many random-convolutions [default of the
    /// latter: 4096; fewer of images below 10 pixels a side]
    #[arg(long, value_name = "D", allow_negative_numbers = true, help_heading = FEATURES, requires = "features", value_parser = count)]
    feature_count: Option<u32>,

    /// The distance at which two rows cease to be alike, for fourier: smaller bends more [default:
    /// √columns / 2]
    #[arg(long, value_name = "SIGMA", allow_negative_numbers = true, help_heading = FEATURES, requires = "features", value_parser = scale)]
    feature_scale: Option<f64>,

    /// Which random features: public, and no seed of noise [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = FEATURES, requires = "features", value_parser = parse_number::seed)]
    feature_seed: Option<u64>,
}

fn kinds() -> impl TypedValueParser<Value = String> {
    let value = |(name, meaning)| PossibleValue::new(name).help(meaning);
    PossibleValuesParser::new(KINDS.map(value))
}

fn count(text: &str) -> Result<u32, String> {
    let count = parse_number::option_count(text)?.get();
    let fits = u32::try_from(count)
        .ok()
        .filter(|&count| u64::from(count) <= MOST_OUTPUTS);
    fits.ok_or_else(|| format!("it is {text}; a map has at most {MOST_OUTPUTS} features"))
}

fn scale(text: &str) -> Result<f64, String> {
    parse_number::quantity(text, |scale| {
        let refused = |_| OutOfRange {
            quantity: "it",
            given: scale,
            allowed: "from 1e-6 to 1e6",
        };
        // Of one feature of one column, so that nothing but the scale can be wrong.
        let alone = RandomFourier {
            scale,
            ..RandomFourier::new(1, 1, 0)
        };
        FeatureMap::Fourier(alone)
            .check()
            .map(|()| scale)
            .map_err(refused)
    })
}

impl FeatureFlags {
    /// The declared map. `columns`, where the flags say how many there are, is for a hint alone.
    pub fn declared(&self, columns: Option<u64>) -> Result<Option<DeclaredMap>, Refusal> {
        let Some(kind) = self.features.as_deref() else {
            return Ok(None);
        };
        self.check_foreign(kind)?;
        let seed = self.feature_seed.unwrap_or(0);
        Ok(Some(match kind {
            "fourier" => DeclaredMap::Fourier(DeclaredFourier {
                outputs: self.feature_count.ok_or_else(no_count)?,
                scale: self.feature_scale,
                seed,
            }),
            "scattering" => DeclaredMap::Scattering(DeclaredScattering::new(
                self.image.ok_or_else(|| no_image(kind, columns))?,
            )),
            _ => {
                let image = self.image.ok_or_else(|| no_image(kind, columns))?;
                let map = DeclaredConvolutions::new(image, seed);
                DeclaredMap::RandomConvolutions(match self.feature_count {
                    Some(count) => map.with_outputs(count),
                    None => map,
                })
            }
        }))
    }

    /// Refuses flags of other maps.
    fn check_foreign(&self, kind: &str) -> Result<(), Refusal> {
        let own: &[&str] = match kind {
            "scattering" => &["image"],
            "random-convolutions" => &["image", "feature-count", "feature-seed"],
            _ => &["feature-count", "feature-scale", "feature-seed"],
        };
        let given = [
            ("image", self.image.is_some()),
            ("feature-count", self.feature_count.is_some()),
            ("feature-scale", self.feature_scale.is_some()),
            ("feature-seed", self.feature_seed.is_some()),
        ];
        match given.iter().find(|(flag, is)| *is && !own.contains(flag)) {
            None => Ok(()),
            Some((flag, _)) => Err(refusal::conflict(format!(
                "--{flag} was given, but --features {kind} has no such choice\n\n  \
                 tip: leave it out"
            ))),
        }
    }
}

fn no_count() -> Refusal {
    Refusal::new(
        ErrorKind::MissingRequiredArgument,
        "--features fourier needs --feature-count, how many features there are\n\n  \
         tip: start with --feature-count 1000; more follow a boundary better, and have more noise"
            .to_owned(),
    )
}

/// A shape is never guessed: rows of 784 numbers need not be images.
fn no_image(kind: &str, columns: Option<u64>) -> Refusal {
    let square = columns.and_then(|columns| {
        let side = columns.isqrt();
        (side * side == columns).then_some((columns, side))
    });
    let tip = match square {
        Some((columns, side)) => {
            format!("{columns} columns are those of --image {side}x{side}, if they are pixels")
        }
        None => "write --image HEIGHTxWIDTH, such as 28x28, or --image 3x32x32 with colours first"
            .to_owned(),
    };
    Refusal::new(
        ErrorKind::MissingRequiredArgument,
        format!("--features {kind} needs --image, the shape of the images\n\n  tip: {tip}"),
    )
}
