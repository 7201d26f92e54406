//! The connection by which Bancada itself speaks to the server.

use postgres::{Client, Config, NoTls};

use super::PostgresError;

/// A maker of short connections: none is open while a window is measured, unless it was told to keep one.
pub(super) struct Admin {
    config: Config,
    kept: Option<Client>,
}

impl Admin {
    /// Connects when there is something to say.
    pub(super) fn new(config: Config) -> Admin {
        Admin { config, kept: None }
    }

    /// Where it connects.
    pub(super) fn config(&self) -> Config {
        self.config.clone()
    }

    /// The same server and user, another database.
    pub(super) fn config_for(&self, database: &str) -> Config {
        let mut config = self.config.clone();
        config.dbname(database);
        config
    }

    /// Keeps this connection, and what is locked by it.
    pub(super) fn keep(&mut self, client: Client) {
        self.kept = Some(client);
    }

    /// A connection, closed when it goes out of scope.
    pub(super) fn connect(&self) -> Result<Client, PostgresError> {
        connect(&self.config)
    }

    /// Runs one statement on its own, as `CREATE DATABASE` must be.
    pub(super) fn execute(&mut self, statement: &str) -> Result<(), PostgresError> {
        let action = || PostgresError::sql(format!("run {statement}"));
        match &mut self.kept {
            Some(client) if !client.is_closed() => {
                client.batch_execute(statement).map_err(action())
            }
            _ => self.connect()?.batch_execute(statement).map_err(action()),
        }
    }
}

/// Opens a connection without TLS.
pub(super) fn connect(config: &Config) -> Result<Client, PostgresError> {
    config.connect(NoTls).map_err(PostgresError::sql("connect"))
}

/// An identifier as SQL writes it.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A string as SQL writes it, whatever `standard_conforming_strings` says: no backslash is left alone.
pub(super) fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_in_names_and_strings_do_not_end_them() {
        assert_eq!(identifier(r#"a"b"#), r#""a""b""#);
        assert_eq!(literal(r"it's \n"), r"E'it''s \\n'");
    }
}
