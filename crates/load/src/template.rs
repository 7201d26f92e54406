//! Text with places to fill: `{seq}` and `{rand:a..b}`. Any other brace stands for itself.

use rand::Rng;
use rand_pcg::Pcg64;

/// A parsed text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(Box<[u8]>),
    Sequence,
    Random { least: u64, most: u64 },
}

impl Template {
    /// Parses `text`; says what is wrong with a placeholder that cannot be used.
    pub(crate) fn parse(text: &[u8]) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        let mut rest = text;
        while let Some((&first, tail)) = rest.split_first() {
            let Some((part, after)) = placeholder(rest)? else {
                plain.push(first);
                rest = tail;
                continue;
            };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain).into()));
            }
            parts.push(part);
            rest = after;
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain.into()));
        }
        Ok(Template { parts })
    }

    /// Whether it is the same every time.
    pub(crate) fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// Appends the text with its places filled.
    pub(crate) fn render(&self, sequence: u64, rng: &mut Pcg64, into: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Text(text) => into.extend_from_slice(text),
                Part::Sequence => push_number(sequence, into),
                Part::Random { least, most } => push_number(rng.random_range(*least..=*most), into),
            }
        }
    }
}

fn placeholder(text: &[u8]) -> Result<Option<(Part, &[u8])>, String> {
    if let Some(after) = text.strip_prefix(b"{seq}") {
        return Ok(Some((Part::Sequence, after)));
    }
    let Some(inside) = text.strip_prefix(b"{rand:") else {
        return Ok(None);
    };
    let end = inside
        .iter()
        .position(|&byte| byte == b'}')
        .ok_or("'{rand:' without a closing '}'")?;
    let range = String::from_utf8_lossy(&inside[..end]).into_owned();
    let bounds = range.split_once("..").and_then(|(least, most)| {
        Some((
            least.trim().parse::<u64>().ok()?,
            most.trim().parse::<u64>().ok()?,
        ))
    });
    match bounds {
        Some((least, most)) if least <= most => {
            Ok(Some((Part::Random { least, most }, &inside[end + 1..])))
        }
        _ => Err(format!(
            "'{{rand:{range}}}' should be like {{rand:1..100}}, the lower number first"
        )),
    }
}

/// Appends a number in decimal.
pub(crate) fn push_number(mut number: u64, into: &mut Vec<u8>) {
    let mut digits = [0_u8; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    into.extend_from_slice(&digits[place..]);
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn rendered(text: &str, sequence: u64) -> String {
        let mut out = Vec::new();
        let template = Template::parse(text.as_bytes()).unwrap();
        template.render(sequence, &mut Pcg64::seed_from_u64(1), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn places_are_filled_and_other_braces_stand_for_themselves() {
        assert_eq!(rendered("/a/{seq}?{x}", 407), "/a/407?{x}");
        assert_eq!(rendered("{\"id\":{seq}}", 0), "{\"id\":0}");
        assert_eq!(rendered("{rand:7..7}", 0), "7");
    }

    #[test]
    fn a_range_the_wrong_way_round_is_refused() {
        assert!(
            Template::parse(b"{rand:9..1}")
                .unwrap_err()
                .contains("lower number first")
        );
        assert!(
            Template::parse(b"{rand:1..2")
                .unwrap_err()
                .contains("closing")
        );
    }
}
