//! The arguments of a tool: as an experiment gives them, and with the words of one service in them.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use catalog::ToolManifest;

use crate::error::LabError;

/// An argument as the experiment gives it, before the words of a service stand in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Template {
    Plain(String),
    /// Holds `{file:NAME}`.
    File {
        before: String,
        name: String,
        text: String,
        after: String,
    },
}

/// Reads a tool's arguments and the files that they name.
///
/// # Errors
/// When a file cannot be read, or its word is not closed.
pub(super) fn templates(manifest: &ToolManifest, folder: &Path) -> Result<Vec<Template>, LabError> {
    let refuse = |what: String| LabError::Usage(format!("tool {}: {what}", manifest.name));
    let template = |argument: &String| {
        let Some((before, rest)) = argument.split_once("{file:") else {
            return Ok(Template::Plain(argument.clone()));
        };
        let (name, after) = rest
            .split_once('}')
            .ok_or_else(|| refuse(format!("`{argument}` lacks a }}")))?;
        let from = folder.join(name);
        let text = fs::read_to_string(&from)
            .map_err(|error| refuse(format!("{}: {error}", from.display())))?;
        Ok(Template::File {
            before: before.to_owned(),
            name: name.replace('/', "-"),
            text,
            after: after.to_owned(),
        })
    };
    manifest.args.iter().map(template).collect()
}

/// What the words in arguments stand for.
pub(super) struct Words<'a> {
    /// Where the service listens.
    pub(super) addr: SocketAddr,
    /// What it is asked.
    pub(super) path: String,
    /// Folder of the experiment.
    pub(super) folder: &'a Path,
}

impl Words<'_> {
    /// The arguments for one service. `{file:NAME}` becomes a copy in `logs` of that file of the experiment's folder,
    /// in which the same words are replaced; `trial` is in its name.
    ///
    /// # Errors
    /// When a copy cannot be written.
    pub(super) fn put_into(
        &self,
        templates: &[Template],
        logs: &Path,
        trial: &str,
    ) -> Result<Vec<String>, LabError> {
        let argument = |template: &Template| match template {
            Template::Plain(argument) => Ok(self.replace(argument)),
            Template::File {
                before,
                name,
                text,
                after,
            } => {
                let to = logs.join(format!("tool-{trial}-{name}"));
                fs::write(&to, self.replace(text))
                    .map_err(LabError::system("writing a tool's file"))?;
                let (before, after) = (self.replace(before), self.replace(after));
                Ok(format!("{before}{}{after}", to.display()))
            }
        };
        templates.iter().map(argument).collect()
    }

    fn replace(&self, text: &str) -> String {
        text.replace("{url}", &format!("http://{}{}", self.addr, self.path))
            .replace("{host}", &self.addr.ip().to_string())
            .replace("{port}", &self.addr.port().to_string())
            .replace("{path}", &self.path)
            .replace("{folder}", &self.folder.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use catalog::Catalog;

    use super::*;

    fn tool(args: &[&str]) -> ToolManifest {
        ToolManifest {
            name: "wrk".to_owned(),
            args: args.iter().map(|one| (*one).to_owned()).collect(),
            within_s: 120,
        }
    }

    #[test]
    fn a_file_that_a_tool_lacks_is_said_before_anything_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |args: &[&str]| match templates(&tool(args), folder.path()) {
            Err(LabError::Usage(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert!(refused(&["-s", "{file:post.lua}"]).contains("post.lua"));
        assert!(refused(&["{file:post.lua"]).contains("lacks a }"));
        fs::write(folder.path().join("post.lua"), "{url}").unwrap();
        let read = templates(&tool(&["{url}", "-s={file:post.lua}"]), folder.path()).unwrap();
        let file = Template::File {
            before: "-s=".to_owned(),
            name: "post.lua".to_owned(),
            text: "{url}".to_owned(),
            after: String::new(),
        };
        assert_eq!(read, [Template::Plain("{url}".to_owned()), file]);
    }

    #[test]
    fn every_tool_of_the_catalogue_is_told_its_service_and_left_with_no_word_of_ours() {
        let catalog = Catalog::scan(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        let logs = tempfile::tempdir().unwrap();
        let mut seen = 0;
        for experiment in &catalog.experiments {
            let words = Words {
                addr: SocketAddr::from(([127, 0, 0, 1], 45678)),
                path: "/asked".to_owned(),
                folder: &experiment.folder,
            };
            for tool in &experiment.manifest.tool {
                let templates = templates(tool, &experiment.folder).unwrap();
                let arguments = words.put_into(&templates, logs.path(), "t1").unwrap();
                let texts: Vec<String> = arguments.iter().flat_map(|one| texts(one)).collect();
                let place = format!("{}: {}", experiment.name, tool.name);
                let left = texts.iter().find_map(|text| word_left(text));
                assert_eq!(left, None, "{place}");
                assert!(texts.iter().any(|text| text.contains("45678")), "{place}");
                seen += 1;
            }
        }
        assert!(seen > 0, "no tool was found");
    }

    #[test]
    fn a_word_that_is_left_is_told_from_other_braces() {
        for (text, left) in [
            ("base: 'http://{{ HOST }}/'", Some("HOST")),
            ("http://{adress}/", Some("adress")),
            ("{file:a.yml}", Some("file:a.yml")),
            ("{\"id\": 1}", None),
            ("${__P(host)}", None),
            ("wrk.headers = {}", None),
        ] {
            assert_eq!(word_left(text).as_deref(), left, "{text}");
        }
    }

    /// An argument and the file that it names, if it names one.
    fn texts(argument: &str) -> Vec<String> {
        let path = argument.rsplit('=').next().map(PathBuf::from);
        let file = path.and_then(|path| fs::read_to_string(path).ok());
        std::iter::once(argument.to_owned()).chain(file).collect()
    }

    /// The first word in braces, single or double.
    fn word_left(text: &str) -> Option<String> {
        let mut inner = text.split('{').skip(1).map(|rest| {
            let (inner, _) = rest.split_once('}').unwrap_or_default();
            inner.trim()
        });
        let is_word = |inner: &&str| {
            let letters = |c: char| c.is_ascii_alphabetic() || c == '_';
            inner.starts_with("file:") || (!inner.is_empty() && inner.chars().all(letters))
        };
        inner.find(is_word).map(str::to_owned)
    }
}
