//! Databases that are built once per workload and restored from there.

use std::fs;
use std::path::PathBuf;

use postgres::Client;
use postgres::error::ErrorPosition;
use sha2::{Digest, Sha256};

use super::admin::{Admin, connect, identifier, literal};
use super::error::reason;
use super::home::hex;
use super::{PREFIX, PostgresError};

/// Changes when what is done to a template besides its SQL changes.
const BUILD: &str = "bancada template 1";
/// Longest name of a database (`NAMEDATALEN` − 1).
const NAME_MAX: usize = 63;

/// The name of a workload's template.
pub(super) fn template_name(workload: &str) -> String {
    database_name(&format!("template-{workload}"))
}

/// The name of a database of ours: the prefix, and what was asked for as far as a name and a URL can hold it.
/// Two different ones never become the same.
pub(super) fn database_name(asked: &str) -> String {
    let plain = |character: char| {
        character.is_ascii_lowercase() || character.is_ascii_digit() || "-_".contains(character)
    };
    if asked.chars().all(plain) && PREFIX.len() + asked.len() <= NAME_MAX {
        return format!("{PREFIX}{asked}");
    }
    let digest = &hex(&Sha256::digest(asked.as_bytes()))[..12];
    let kept = asked
        .chars()
        .map(|character| if plain(character) { character } else { '_' });
    let kept: String = kept
        .take(NAME_MAX - PREFIX.len() - digest.len() - 1)
        .collect();
    format!("{PREFIX}{kept}.{digest}")
}

/// SQL of a workload with the digest by which a template is recognised.
pub(super) struct Source {
    files: Vec<(PathBuf, String)>,
    mark: String,
}

impl Source {
    /// Reads the files.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Source, PostgresError> {
        let mut hasher = Sha256::new();
        hasher.update(BUILD);
        let mut files = Vec::new();
        for path in paths {
            let text = fs::read_to_string(path).map_err(PostgresError::file("read", path))?;
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(&text);
            files.push((path.clone(), text));
        }
        let mark = format!("{BUILD} {}", hex(&hasher.finalize()));
        Ok(Source { files, mark })
    }
}

/// Builds a workload's template unless it is there with the same digest. It gets its name when it is whole.
/// `owner`: the role that services connect as, where that is not the one who builds.
pub(super) fn build(
    admin: &mut Admin,
    workload: &str,
    source: &Source,
    owner: Option<&str>,
) -> Result<(), PostgresError> {
    let name = template_name(workload);
    if mark_of(&mut admin.connect()?, &name)?.as_deref() == Some(source.mark.as_str()) {
        return Ok(());
    }
    let building = database_name(&format!("building-{workload}"));
    drop_database(admin, &building)?;
    create(admin, &building, "template0", owner)?;
    fill(admin, &building, source, owner)?;
    admin.execute(&format!(
        "COMMENT ON DATABASE {} IS {}",
        identifier(&building),
        literal(&source.mark)
    ))?;
    admin.execute(&format!(
        "ALTER DATABASE {} ALLOW_CONNECTIONS false",
        identifier(&building)
    ))?;
    drop_database(admin, &name)?;
    admin.execute(&format!(
        "ALTER DATABASE {} RENAME TO {}",
        identifier(&building),
        identifier(&name)
    ))
}

/// Runs the files, each as one transaction unless it says otherwise, and leaves nothing to clean up or estimate later.
fn fill(
    admin: &Admin,
    database: &str,
    source: &Source,
    owner: Option<&str>,
) -> Result<(), PostgresError> {
    let config = admin.config_for(database);
    let mut as_owner = config.clone();
    if let Some(owner) = owner {
        as_owner.user(owner);
    }
    let mut client = connect(&as_owner)?;
    for (path, text) in &source.files {
        client
            .batch_execute(text)
            .map_err(|error| PostgresError::SqlFile {
                file: path.clone(),
                line: line_of(&error, text),
                reason: reason(&error),
            })?;
    }
    drop(client);
    let mut client = connect(&config)?;
    client
        .batch_execute("VACUUM (FREEZE, ANALYZE)")
        .map_err(PostgresError::sql("run VACUUM"))
}

/// The server counts characters from 1, over the whole file.
fn line_of(error: &postgres::Error, text: &str) -> usize {
    let position = error.as_db_error().and_then(|said| said.position());
    let Some(ErrorPosition::Original(position)) = position else {
        return 1;
    };
    let before = (*position as usize).saturating_sub(1);
    1 + text
        .chars()
        .take(before)
        .filter(|&character| character == '\n')
        .count()
}

/// Makes a database afresh from a workload's template.
pub(super) fn restore(
    admin: &mut Admin,
    database: &str,
    workload: &str,
    owner: Option<&str>,
    connection_limit: Option<u32>,
) -> Result<(), PostgresError> {
    drop_database(admin, database)?;
    create(admin, database, &template_name(workload), owner)?;
    match connection_limit {
        Some(limit) => admin.execute(&format!(
            "ALTER DATABASE {} CONNECTION LIMIT {limit}",
            identifier(database)
        )),
        None => Ok(()),
    }
}

/// Gives a database settings that its sessions start with.
pub(super) fn configure<'a>(
    admin: &mut Admin,
    database: &str,
    settings: impl Iterator<Item = (&'a String, &'a String)>,
) -> Result<(), PostgresError> {
    for (name, value) in settings {
        admin.execute(&format!(
            "ALTER DATABASE {} SET {name} = {}",
            identifier(database),
            literal(value)
        ))?;
    }
    Ok(())
}

/// Drops a database of ours with its connections, if it is there.
pub(super) fn drop_database(admin: &mut Admin, database: &str) -> Result<(), PostgresError> {
    debug_assert!(
        database.starts_with(PREFIX),
        "only databases of ours are dropped: {database}"
    );
    admin.execute(&format!(
        "DROP DATABASE IF EXISTS {} WITH (FORCE)",
        identifier(database)
    ))
}

fn create(
    admin: &mut Admin,
    database: &str,
    template: &str,
    owner: Option<&str>,
) -> Result<(), PostgresError> {
    let owner = owner.map_or_else(String::new, |owner| format!(" OWNER {}", identifier(owner)));
    let statement = format!(
        "CREATE DATABASE {} TEMPLATE {}{owner}",
        identifier(database),
        identifier(template)
    );
    admin.execute(&statement)
}

/// The comment on a database; `None` when there is no such database, or no comment.
fn mark_of(client: &mut Client, database: &str) -> Result<Option<String>, PostgresError> {
    let query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1";
    let row = client
        .query_opt(query, &[&database])
        .map_err(PostgresError::sql("read pg_database"))?;
    Ok(row.and_then(|row| row.get(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_the_prefix_fits_and_stays_different() {
        let long = "x".repeat(80);
        let longer = "x".repeat(81);
        let asked = [
            "axum", "axum-a", "axum_a", "axum a", "Axum", "", &long, &longer, "é",
        ];
        let names: Vec<String> = asked.iter().map(|name| database_name(name)).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(
                name.starts_with(PREFIX) && name.len() <= NAME_MAX && name.is_ascii(),
                "{name}"
            );
            assert!(!names[..index].contains(name), "{name}");
        }
        assert_eq!(names[1], "bancada_axum-a");
    }

    #[test]
    fn the_mark_changes_with_the_text_and_with_where_a_file_ends() {
        let folder = tempfile::tempdir().unwrap();
        let mark = |texts: &[&str]| {
            let paths: Vec<PathBuf> = (0..texts.len())
                .map(|index| folder.path().join(index.to_string()))
                .collect();
            for (path, text) in paths.iter().zip(texts) {
                fs::write(path, text).unwrap();
            }
            Source::read(&paths).unwrap().mark
        };
        assert_eq!(mark(&["ab", "c"]), mark(&["ab", "c"]));
        assert_ne!(mark(&["ab", "c"]), mark(&["a", "bc"]));
        assert_ne!(mark(&["ab"]), mark(&["ac"]));
    }
}
