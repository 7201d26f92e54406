//! The secret that whoever starts a run must know.

use sha2::{Digest, Sha256};

/// A token, compared in constant time and never shown by `Debug`.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
}

impl Token {
    /// Characters that a token has at least.
    pub const LEAST_CHARS: usize = 16;

    /// Takes a secret.
    pub fn new(secret: &str) -> Token {
        Token {
            digest: Sha256::digest(secret.as_bytes()).into(),
        }
    }

    /// Whether an `Authorization` header carries it.
    pub fn admits(&self, authorization: Option<&str>) -> bool {
        let given = authorization
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map_or("", |(_, token)| token.trim());
        // Digests have one length, and every byte is looked at whatever came before it.
        let other = Token::new(given).digest;
        let differing = self.digest.iter().zip(other);
        differing.fold(0, |all, (one, other)| all | (one ^ other)) == 0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_admitted() {
        let token = Token::new("0123456789abcdef");
        assert!(token.admits(Some("Bearer 0123456789abcdef")));
        for wrong in [
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer ",
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "",
        ] {
            assert!(!token.admits(Some(wrong)), "{wrong:?}");
        }
        assert!(!token.admits(None));
    }

    #[test]
    fn a_token_is_not_shown() {
        assert_eq!(format!("{:?}", Token::new("secret")), "Token");
    }
}
