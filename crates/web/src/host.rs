//! Which `Host` a request may name: what keeps a page of somebody else's, whose name was made to point here
//! (DNS rebinding), from reading answers.

use std::net::IpAddr;

/// Names under which this server is spoken to.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// What it was told to listen on, in lower case.
    bound: String,
    /// The address it listens on, which is what that name was resolved to.
    address: IpAddr,
    /// It listens on addresses that are not known beforehand.
    everywhere: bool,
}

impl Hosts {
    /// For a server that was told to listen on `host` and does so on `address`.
    pub fn new(host: &str, address: IpAddr) -> Hosts {
        Hosts {
            bound: bare(host).to_ascii_lowercase(),
            address,
            everywhere: address.is_unspecified(),
        }
    }

    /// Whether a `Host` header names this server. A port does not matter: rebinding needs a name.
    pub fn admits(&self, header: &str) -> bool {
        let Some(name) = name_of(header) else {
            return false;
        };
        let name = name.to_ascii_lowercase();
        if name == self.bound || name == "localhost" {
            return true;
        }
        match name.parse::<IpAddr>() {
            // An address cannot be made to point elsewhere.
            Ok(address) => address.is_loopback() || address == self.address || self.everywhere,
            Err(_) => false,
        }
    }
}

/// The name in `name`, `name:port` or `[address]:port`.
fn name_of(header: &str) -> Option<&str> {
    let (name, port) = match header.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest.split_once(']')?;
            (name, port)
        }
        None => match header.find(':') {
            Some(at) => header.split_at(at),
            None => (header, ""),
        },
    };
    let port_is_sound = match port.strip_prefix(':') {
        Some(digits) => digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    (port_is_sound && !name.is_empty()).then_some(name)
}

fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    #[test]
    fn on_loopback_only_loopback_names_are_admitted() {
        let hosts = Hosts::new("127.0.0.1", Ipv4Addr::LOCALHOST.into());
        for good in [
            "127.0.0.1",
            "127.0.0.1:8420",
            "localhost:1",
            "LOCALHOST",
            "[::1]:8420",
            "127.0.0.2:80",
        ] {
            assert!(hosts.admits(good), "{good}");
        }
        for bad in [
            "evil.example",
            "evil.example:8420",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "192.0.2.1",
            "",
            ":80",
            "[::1",
            "localhost:x",
            "localhost@evil.example",
        ] {
            assert!(!hosts.admits(bad), "{bad}");
        }
    }

    #[test]
    fn bound_everywhere_addresses_are_admitted_and_names_are_not() {
        let hosts = Hosts::new("::", Ipv6Addr::UNSPECIFIED.into());
        assert!(hosts.admits("192.0.2.1:8420"));
        assert!(hosts.admits("[2001:db8::1]:8420"));
        assert!(!hosts.admits("evil.example:8420"));
    }

    #[test]
    fn the_name_it_was_bound_to_and_the_address_of_that_name_are_admitted() {
        let hosts = Hosts::new("bench.lan", Ipv4Addr::new(192, 0, 2, 1).into());
        assert!(hosts.admits("bench.lan:8420"));
        assert!(hosts.admits("192.0.2.1:8420"), "it is what is printed");
        assert!(!hosts.admits("192.0.2.2:8420"));
        let hosts = Hosts::new(
            "bench.lan",
            Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
        );
        assert!(hosts.admits("[2001:db8::1]:8420"));
        assert!(!hosts.admits("[2001:db8::2]:8420"));
    }
}
