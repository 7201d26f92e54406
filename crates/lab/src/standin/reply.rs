//! One answer of a stand-in.

/// What an answer means to whoever counts calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Found,
    Unknown,
    Malformed,
    Failed,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: String,
    pub(super) meaning: Meaning,
}

impl Reply {
    /// A page for people, as services answer what they do not serve.
    pub(super) fn page(status: u16, title: &str, meaning: Meaning) -> Reply {
        Reply {
            status,
            content_type: "text/html; charset=utf-8",
            body: format!("<!DOCTYPE html>\n<title>{title}</title>\n<h1>{title}</h1>\n"),
            meaning,
        }
    }

    /// The whole answer as it goes over the wire.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            404 => "Not Found",
            405 => "Method Not Allowed",
            502 => "Bad Gateway",
            _ => "",
        };
        format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
            self.status,
            self.content_type,
            self.body.len(),
            self.body
        )
        .into_bytes()
    }
}
