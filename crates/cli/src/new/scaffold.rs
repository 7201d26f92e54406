//! The files of new entries, and writing them whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::question::{Answer, Question};
use crate::exit::Usage;

/// Bodies above this go into a file of their own beside the contract.
const INLINE_BYTES: usize = 400;

/// One folder to be made.
#[derive(Debug)]
pub struct Folder {
    /// `stacks`, `workloads` or `experiments`.
    pub kind: &'static str,
    /// Its name there.
    pub name: String,
    /// Its files, by name.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Folder {
    fn new(kind: &'static str, name: &str, files: Vec<(&str, String)>) -> Result<Folder, Usage> {
        let part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || name.starts_with('-') || !name.bytes().all(part) {
            return Err(Usage(format!(
                "`{name}` cannot be a folder here: use a to z, 0 to 9 and -, beginning with a letter or digit"
            )));
        }
        let owned = |(file, text): (&str, String)| (file.to_owned(), text.into_bytes());
        Ok(Folder {
            kind,
            name: name.to_owned(),
            files: files.into_iter().map(owned).collect(),
        })
    }
}

/// What a stack's manifest says.
pub struct StackFacts<'a> {
    /// Folder.
    pub name: &'a str,
    /// How reports name it.
    pub title: &'a str,
    /// Command line.
    pub command: &'a str,
    /// Where it is started.
    pub dir: &'a Path,
    /// Path of readiness.
    pub health: &'a str,
    /// Language.
    pub language: &'a str,
    /// Framework.
    pub framework: &'a str,
    /// What it serves.
    pub workloads: &'a [String],
}

/// A stack that starts a command elsewhere on this machine.
pub fn stack(facts: &StackFacts) -> Result<Folder, Usage> {
    let folder = facts.dir.to_str().ok_or_else(|| {
        Usage(format!(
            "{} is no text that a manifest could hold",
            facts.dir.display()
        ))
    })?;
    let simple = !facts
        .command
        .contains([';', '&', '|', '<', '>', '\n', '(', ')']);
    let exec = if simple { "exec " } else { "" };
    let line = format!("cd {} && {exec}{}", shell_quoted(folder), facts.command);
    let workloads: Vec<String> = facts.workloads.iter().map(|name| quoted(name)).collect();
    let manifest = format!(
        "schema = \"bancada.stack/1\"\ntitle = {title}\nlanguage = {language}\nframework = {framework}\n\
         # Tools that it is built with, and the commands that build it; empty: it is ready as it is.\n\
         needs = []\nprepare = []\n\
         # Answers 200 once the service is ready.\nhealth = {health}\nworkloads = [{workloads}]\n\
         # What WORKERS counts: \"processes\" or \"threads\".\nworkers = \"processes\"\n\
         # Shown beside the others without a rank. Remove both lines once `bancada verify` passes without them: it then\n\
         # also holds how the service speaks HTTP against the rules that every ranked stack keeps.\n\
         ranked = false\ndiffers = \"as it was brought, its HTTP not yet examined\"\n\
         # Files that answer requests, kept with every run; put the handlers here once they are in this folder.\n\
         sources = [\"README.md\"]\n\n[launch.default]\n\
         # Started with PORT and HOST in its environment, and with no more of yours than PATH, HOME and LANG.\n\
         command = [\"sh\", \"-c\", {line}]\n",
        title = quoted(facts.title),
        language = quoted(facts.language),
        framework = quoted(facts.framework),
        health = quoted(facts.health),
        workloads = workloads.join(", "),
        line = quoted(&line),
    );
    let readme = format!(
        "# {}\n\nStarted with `{}`. Say here what it is, and what it leaves out that others do.\n",
        facts.name,
        facts.command.replace('`', "'")
    );
    Folder::new(
        "stacks",
        facts.name,
        vec![("stack.toml", manifest), ("README.md", readme)],
    )
}

/// A workload with its contract.
pub fn workload(name: &str, health: &str, question: &Question) -> Result<Folder, Usage> {
    let mut manifest = format!(
        "schema = \"bancada.workload/1\"\ntitle = {}\nasks = {}\norigin = {}\nmethod = {}\npath = {}\n",
        quoted(name),
        quoted(&question.asks),
        quoted(&question.origin),
        quoted(&question.method),
        quoted(&question.path),
    );
    manifest.push_str(&request_lines(question));
    if question.status != 200 {
        manifest.push_str(&format!("expect_status = {}\n", question.status));
    }
    let mut contract = format!(
        "schema = \"bancada.contract/1\"\n\n[[case]]\nname = \"it says that it is ready\"\npath = {}\nstatus = 200\n\n\
         [[case]]\nname = {}\nmethod = {}\npath = {}\n",
        quoted(health),
        quoted("the answer is the same every time"),
        quoted(&question.method),
        quoted(&question.path),
    );
    contract.push_str(&request_lines(question));
    contract.push_str(&format!("status = {}\n", question.status));
    let mut extra = None;
    let mut answer = |key: &str, file: &str, text: &[u8]| {
        let inline = std::str::from_utf8(text)
            .ok()
            .filter(|text| text.len() <= INLINE_BYTES);
        match inline {
            Some(text) => format!("{key} = {}\n", quoted(text)),
            None => {
                extra = Some((file.to_owned(), text.to_vec()));
                let key = if key == "json" {
                    "json_file"
                } else {
                    "bytes_file"
                };
                format!("{key} = {}\n", quoted(file))
            }
        }
    };
    contract.push_str(&match &question.answer {
        Answer::Unknown => {
            "# The body is not held to: add json, json_file, text or bytes_file.\n".to_owned()
        }
        Answer::Json(text) => answer("json", "answer.json", text.as_bytes()),
        Answer::Text(text) => answer("text", "answer.txt", text.as_bytes()),
        Answer::Bytes(bytes) => answer("bytes", "answer.bin", bytes),
    });
    contract.push_str("times = 5\n");
    if !question.response_headers.is_empty() {
        contract.push_str("\n[case.response_headers]\n");
    }
    for (name, value) in &question.response_headers {
        contract.push_str(&format!("{} = {}\n", quoted(name), quoted(value)));
    }
    let readme = format!(
        "# {name}\n\n{}\n\n{} Say here what the request stands for, and add cases to `contract.toml`: bad input, a missing\nresource, another method.\n",
        question.asks, question.origin
    );
    let files = vec![
        ("workload.toml", manifest),
        ("contract.toml", contract),
        ("README.md", readme),
    ];
    let mut folder = Folder::new("workloads", name, files)?;
    folder.files.extend(extra);
    Ok(folder)
}

fn request_lines(question: &Question) -> String {
    let mut lines = String::new();
    if !question.headers.is_empty() {
        let headers = question
            .headers
            .iter()
            .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)));
        let headers: Vec<String> = headers.collect();
        lines.push_str(&format!("headers = {{ {} }}\n", headers.join(", ")));
    }
    if let Some(body) = &question.body {
        lines.push_str(&format!("body = {}\n", quoted(body)));
    }
    lines
}

/// An experiment over stacks, the first of which is baseline and twin.
pub fn experiment(
    name: &str,
    question: &str,
    workload: &str,
    stacks: &[String],
    has_database: bool,
) -> Result<Folder, Usage> {
    let mut manifest = format!(
        "schema = \"bancada.experiment/1\"\ntitle = {}\nquestion = {}\nbaseline = {first}\n\
         # Entered twice: what it seems to differ from itself, this machine cannot see.\ntwin = {first}\n\
         # Seconds of measuring after which no new block starts.\nbudget_s = 480\nconnections = 10\n",
        quoted(name),
        quoted(question),
        first = quoted(&stacks[0]),
    );
    for stack in stacks {
        manifest.push_str(&format!(
            "\n[[treatment]]\nname = {0}\nstack = {0}\nworkload = {1}\nworkers = 1\n",
            quoted(stack),
            quoted(workload)
        ));
        if has_database {
            manifest.push_str("db_pool_size = 10\n");
        }
    }
    let readme = format!(
        "# {name}\n\n{question}\n\nSay here why it is asked, and what an answer would change.\n"
    );
    Folder::new(
        "experiments",
        name,
        vec![("experiment.toml", manifest), ("README.md", readme)],
    )
}

/// Writes all folders, or none: each is made aside and moved to its place.
///
/// # Errors
/// When one is there already, or cannot be written.
pub fn write_all(root: &Path, folders: &[Folder]) -> anyhow::Result<()> {
    for folder in folders {
        let place = root.join(folder.kind).join(&folder.name);
        if place.symlink_metadata().is_ok() {
            let message = format!(
                "{}/{} is there already: give another name, or remove it first",
                folder.kind, folder.name
            );
            return Err(Usage(message).into());
        }
    }
    let aside = root.join(format!(".bancada-new-{}", std::process::id()));
    let written = write_aside(&aside, folders).and_then(|()| move_all(&aside, root, folders));
    // Whatever happened, nothing is left beside the catalogue.
    let _ = fs::remove_dir_all(&aside);
    written
}

fn write_aside(aside: &Path, folders: &[Folder]) -> anyhow::Result<()> {
    for folder in folders {
        let place = aside.join(folder.kind).join(&folder.name);
        fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
        for (file, bytes) in &folder.files {
            let path = place.join(file);
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

fn move_all(aside: &Path, root: &Path, folders: &[Folder]) -> anyhow::Result<()> {
    let mut moved: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let inner = PathBuf::from(folder.kind).join(&folder.name);
        let place = root.join(&inner);
        if let Err(error) = fs::rename(aside.join(&inner), &place) {
            for place in &moved {
                // Made a moment ago by this very call.
                let _ = fs::remove_dir_all(place);
            }
            return Err(error).with_context(|| format!("cannot make {}", place.display()));
        }
        moved.push(place);
    }
    Ok(())
}

/// A part of a folder's name out of any text.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        match character {
            'A'..='Z'
                if slug.ends_with(|last: char| last.is_ascii_lowercase())
                    && !text.contains(' ') =>
            {
                slug.push('-');
                slug.push(character.to_ascii_lowercase());
            }
            'a'..='z' | 'A'..='Z' | '0'..='9' => slug.push(character.to_ascii_lowercase()),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A word of a shell's command line.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_could_leave_the_catalogue_is_refused() {
        for wrong in ["", "../x", "a/b", "A", "-x", "a b"] {
            assert!(Folder::new("stacks", wrong, Vec::new()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn operations_become_parts_of_names() {
        assert_eq!(slug("GET /users/{id}"), "get-users-id");
        assert_eq!(slug("listOrders"), "list-orders");
    }

    #[test]
    fn any_text_survives_its_way_into_a_manifest() {
        for text in ["a\"b\\c\nd", "'''", "\u{0}\u{7f}é😀", "'"] {
            let line = format!("x = {}", quoted(text));
            let table: toml::Table = line.parse().unwrap();
            assert_eq!(table["x"].as_str(), Some(text), "{line}");
        }
    }
}
