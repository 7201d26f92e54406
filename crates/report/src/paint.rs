//! Colour, where it is wanted. Nothing is said by colour alone.

use anstyle::{AnsiColor, Style};

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// As it comes.
    Plain,
    /// Stands out.
    Strong,
    /// Steps back.
    Faint,
    /// Better than what it is compared with.
    Good,
    /// Worse than what it is compared with.
    Bad,
    /// To be read before the figures.
    Warning,
}

/// Puts colour on text, or leaves it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter {
    /// Whether colour is wanted.
    pub(crate) colour: bool,
}

impl Painter {
    /// The text in the colour of what it is.
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        if !self.colour || paint == Paint::Plain || text.trim().is_empty() {
            return text.to_owned();
        }
        let style = style(paint);
        format!("{style}{text}{style:#}")
    }
}

fn style(paint: Paint) -> Style {
    let coloured = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match paint {
        Paint::Plain => Style::new(),
        Paint::Strong => Style::new().bold(),
        Paint::Faint => Style::new().dimmed(),
        Paint::Good => coloured(AnsiColor::Green),
        Paint::Bad => coloured(AnsiColor::Red),
        Paint::Warning => coloured(AnsiColor::Yellow).bold(),
    }
}
