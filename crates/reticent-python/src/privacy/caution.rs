//! What the engine warns of, as Python does: by the reason, which chooses the category.

use reticent::privacy::Caution;

/// The name of a reason for a warning, and the sentence.
pub fn described(caution: Caution) -> (&'static str, String) {
    let kind = match caution {
        Caution::LostInNoise { .. } => "noise",
        _ => "privacy",
    };
    (kind, caution.to_string())
}
