//! A small drawing as SVG: for a README or a pull request, light or dark as the reader has it.

use std::fmt::Write;

use crate::text::plain;

/// Colours by class; the reader's system chooses light or dark.
const STYLE: &str = "text{font:13px -apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif;fill:#1b1c1e}\
.soft{fill:#595b60}.small{font-size:11px}\
line,path{fill:none;stroke:#1b1c1e;stroke-width:2;stroke-linecap:round}\
.rule{stroke:#e2e2dd;stroke-width:1}.axis{stroke:#595b60;stroke-width:1}.band{fill:#e2e2dd;opacity:.5}\
.dot{fill:#1b1c1e}.open{fill:none;stroke:#595b60;stroke-width:1.6}\
.better{fill:#0a5f8f}line.better{stroke:#0a5f8f}.worse{fill:#b04a00}line.worse{stroke:#b04a00}\
.s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#008a63}.s3{stroke:#b5589a}.s4{stroke:#8f7000}.s5{stroke:#2f9bd6}.other{stroke:#a9abb0;stroke-width:1}\
@media(prefers-color-scheme:dark){text{fill:#e9e7e2}.soft{fill:#a5a7ab}\
line,path{stroke:#e9e7e2}.rule{stroke:#2e3237}.axis{stroke:#a5a7ab}.band{fill:#2e3237}\
.dot{fill:#e9e7e2}.open{fill:none;stroke:#a5a7ab}\
.better{fill:#6cb8e6}line.better{stroke:#6cb8e6}.worse{fill:#f0a35e}line.worse{stroke:#f0a35e}\
.s0{stroke:#5db3e8}.s1{stroke:#f0a35e}.s2{stroke:#45c9a1}.s3{stroke:#e39bcb}.s4{stroke:#e6d15a}.s5{stroke:#8f9dff}.other{stroke:#62666d}}";

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing that grows by its parts. Lengths are in CSS pixels.
pub(crate) struct Svg {
    width: f64,
    height: f64,
    label: String,
    body: String,
}

impl Svg {
    /// An empty one; `label` is what a screen reader says.
    pub(crate) fn new(width: f64, height: f64, label: &str) -> Svg {
        Svg {
            width,
            height,
            label: escaped(label),
            body: String::new(),
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = writeln!(
            self.body,
            r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
        );
    }

    /// A line through points; none through fewer than two.
    pub(crate) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() < 2 {
            return;
        }
        let mut steps = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            let step = if index == 0 { 'M' } else { 'L' };
            let _ = write!(steps, "{step}{x:.1} {y:.1}");
        }
        let _ = writeln!(self.body, r#"<path class="{class}" d="{steps}"/>"#);
    }

    /// A dot.
    pub(crate) fn dot(&mut self, class: &str, (x, y): (f64, f64)) {
        let _ = writeln!(
            self.body,
            r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="4.5"/>"#
        );
    }

    /// A filled rectangle from one corner to the other.
    pub(crate) fn rectangle(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let (width, height) = ((x2 - x1).max(0.0), (y2 - y1).max(0.0));
        let _ = writeln!(
            self.body,
            r#"<rect class="{class}" x="{x1:.1}" y="{y1:.1}" width="{width:.1}" height="{height:.1}"/>"#
        );
    }

    /// Text from a record, as text.
    pub(crate) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    /// The whole document, with a line end.
    pub(crate) fn finish(self) -> String {
        let (width, height, label, body) = (self.width, self.height, self.label, self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"{label}\">\n<style>{STYLE}</style>\n{body}</svg>\n"
        )
    }
}

/// Text cut to about as many letters as fit.
pub(crate) fn cut(text: &str, letters: usize) -> String {
    let text = plain(text);
    if text.chars().count() <= letters {
        return text;
    }
    let kept: String = text.chars().take(letters.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in plain(text).chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML has no place for these two, however they are written.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_record_becomes_markup() {
        let mut svg = Svg::new(10.0, 10.0, "a \"b\"");
        svg.text(
            "soft",
            (0.0, 0.0),
            Anchor::Start,
            "</text><script>alert(1)</script>&\u{1b}",
        );
        let drawn = svg.finish();
        assert!(
            !drawn.contains("<script") && !drawn.contains('\u{1b}'),
            "{drawn}"
        );
        assert!(drawn.contains("&lt;/text&gt;") && drawn.contains("a &quot;b&quot;"));
    }
}
