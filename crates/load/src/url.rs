//! `http://host:port/path?query`, its addresses, and whether they may be loaded.

use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use crate::error::LoadError;

/// An HTTP URL, as far as a request needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Name or address, without brackets.
    pub host: String,
    /// Port; 80 when the URL has none.
    pub port: u16,
    /// Path and query, at least `/`.
    pub target: String,
    /// Value of the Host header.
    pub authority: String,
}

impl FromStr for Url {
    type Err = LoadError;

    fn from_str(text: &str) -> Result<Url, LoadError> {
        let refuse = |reason: &str| LoadError::Url {
            url: text.to_owned(),
            reason: reason.to_owned(),
        };
        if text.starts_with("https://") {
            return Err(refuse(
                "TLS is not spoken; give the http:// address of the service",
            ));
        }
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some(_) => return Err(refuse("only http:// is spoken")),
            None => text,
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, target) = match rest.find(['/', '?']) {
            Some(place) if rest[place..].starts_with('?') => {
                (&rest[..place], format!("/{}", &rest[place..]))
            }
            Some(place) => (&rest[..place], rest[place..].to_owned()),
            None => (rest, "/".to_owned()),
        };
        if authority.contains('@') {
            return Err(refuse(
                "user and password go into a header: -H 'Authorization: …'",
            ));
        }
        if target
            .chars()
            .any(|letter| letter.is_whitespace() || letter.is_control())
        {
            return Err(refuse("blanks in a path are written %20"));
        }
        let (host, port) = split_port(authority)
            .ok_or_else(|| refuse("it should be like http://127.0.0.1:8000/path"))?;
        Ok(Url {
            host: host.to_owned(),
            port,
            target,
            authority: authority.to_owned(),
        })
    }
}

fn split_port(authority: &str) -> Option<(&str, u16)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        host.parse::<std::net::Ipv6Addr>().ok()?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, port.parse().ok()?)),
            None => rest.is_empty().then_some((host, 80)),
        };
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, 80),
    };
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    (!host.is_empty() && host.chars().all(allowed)).then_some((host, port))
}

impl Url {
    /// The address to load: of several the first that takes a connection, else the first.
    ///
    /// # Errors
    /// When the name has no address, or has a public one and `public_allowed` is false.
    pub fn resolve(&self, public_allowed: bool) -> Result<SocketAddr, LoadError> {
        let dns = |cause| LoadError::Dns {
            host: self.host.clone(),
            cause,
        };
        let addresses: Vec<SocketAddr> = (self.host.as_str(), self.port)
            .to_socket_addrs()
            .map_err(dns)?
            .collect();
        if let Some(public) = addresses.iter().find(|address| is_public(address.ip()))
            && !public_allowed
        {
            return Err(LoadError::PublicAddress {
                host: self.host.clone(),
                address: public.ip(),
            });
        }
        let first = *addresses
            .first()
            .ok_or_else(|| dns(std::io::ErrorKind::NotFound.into()))?;
        if addresses.len() == 1 {
            return Ok(first);
        }
        let answers = |address: &&SocketAddr| {
            TcpStream::connect_timeout(address, Duration::from_secs(1)).is_ok()
        };
        Ok(addresses.iter().find(answers).copied().unwrap_or(first))
    }
}

/// Whether an address lies outside loopback, private and link-local ranges.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let shared = v4.octets()[0] == 100 && v4.octets()[1] & 0xc0 == 64;
            !(v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || shared)
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_public(IpAddr::V4(v4)),
            None => {
                !(v6.is_loopback()
                    || v6.is_unique_local()
                    || v6.is_unicast_link_local()
                    || v6.is_unspecified())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn a_url_gives_host_port_and_target() {
        assert_eq!(url("http://localhost:8000/a?b=c#d").target, "/a?b=c");
        assert_eq!(url("127.0.0.1:9").port, 9);
        assert_eq!(url("http://h?x").target, "/?x");
        assert_eq!(url("http://[::1]:80/").host, "::1");
        assert_eq!(url("http://[::1]").authority, "[::1]");
    }

    #[test]
    fn what_is_not_a_url_is_refused_with_what_to_do() {
        for (text, hint) in [
            ("https://h/", "http://"),
            ("ftp://h/", "http://"),
            ("http://", "like"),
            ("http://h:99999/", "like"),
            ("http://[::1/", "like"),
            ("http://h /", "like"),
            ("http://h/a b", "%20"),
            ("http://u:p@h/", "Authorization"),
        ] {
            let error = text.parse::<Url>().unwrap_err();
            assert!(error.to_string().contains(hint), "{text}: {error}");
            assert!(error.is_usage());
        }
    }

    #[test]
    fn only_loopback_private_and_link_local_addresses_are_not_public() {
        for (address, public) in [
            ("127.9.9.9", false),
            ("10.0.0.1", false),
            ("172.16.0.1", false),
            ("192.168.1.1", false),
            ("169.254.1.1", false),
            ("100.64.0.1", false),
            ("::1", false),
            ("fd00::1", false),
            ("fe80::1", false),
            ("::ffff:127.0.0.1", false),
            ("8.8.8.8", true),
            ("172.32.0.1", true),
            ("2606:4700::1", true),
            ("::ffff:8.8.8.8", true),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }

    #[test]
    fn a_public_address_is_refused_unless_allowed() {
        let error = url("http://8.8.8.8/").resolve(false).unwrap_err();
        assert!(error.to_string().contains("--i-may-load-this-host"));
        assert_eq!(url("http://8.8.8.8/").resolve(true).unwrap().port(), 80);
    }
}
