//! Names that are nearly right.

/// The sentence for a name that is not among the `known`: the nearest one, else all of them.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, &known) {
        Some(meant) => format!("unknown {what} \"{name}\"; did you mean \"{meant}\"?"),
        None if known.is_empty() => format!("unknown {what} \"{name}\"; there is none"),
        None => format!("unknown {what} \"{name}\"; known: {}", known.join(", ")),
    }
}

/// The one of `known` that `name` is most likely a slip for, if any is near.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let reach = (name.chars().count() / 3).max(1);
    let distances = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), *known));
    let (distance, meant) = distances.min()?;
    (distance <= reach).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_names_what_was_meant_and_a_stranger_names_all() {
        assert_eq!(
            unknown("key", "worklaods", ["workers", "workloads"]),
            "unknown key \"worklaods\"; did you mean \"workloads\"?"
        );
        assert_eq!(
            unknown("key", "colour", ["workers", "workloads"]),
            "unknown key \"colour\"; known: workers, workloads"
        );
    }
}
