//! How answers look on a terminal. Colours are always written; the stream drops them where they do
//! not belong.

use anstyle::{AnsiColor, Style};

/// The answer itself.
pub const LOUD: Style = AnsiColor::Green.on_default().bold();
/// A name.
pub const NAME: Style = Style::new().bold();
/// A meaning.
pub const QUIET: Style = Style::new().dimmed();
/// A warning.
pub const ALARM: Style = AnsiColor::Yellow.on_default().bold();
/// What is wrong.
pub const WRONG: Style = AnsiColor::Red.on_default().bold();
/// A bar.
pub const BAR: Style = AnsiColor::Cyan.on_default();

/// A bar of a share of `width` columns, in eighths of a column; a share above zero is never
/// invisible.
pub fn bar(share: f64, width: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (8 * width) as f64).round() as usize;
    let eighths = eighths.max(usize::from(share > 0.0));
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(1.0, 20), "█".repeat(20));
        assert_eq!(bar(0.5, 20), "█".repeat(10));
        assert_eq!(bar(0.025, 20), "▌");
        assert_eq!(bar(1e-9, 20), "▏");
        assert_eq!(bar(0.0, 20), "");
    }
}
