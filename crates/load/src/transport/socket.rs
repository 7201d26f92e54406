//! Opening TCP sockets: options, and other source addresses when the ports of one run out.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};
use std::ops::RangeInclusive;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType};

use super::Failure;

/// Source addresses for targets in 127.0.0.0/8, where every address is ours. Each has ports of
/// its own, some 28,000 by default.
#[derive(Debug, Default)]
pub struct SourceAddresses {
    /// How many addresses have run out; 0 means that the kernel chooses.
    given_up: u32,
    /// Ports to choose from, where they are not the system's.
    ports: Option<RangeInclusive<u16>>,
}

/// Addresses tried before a connection is given up: 16 × 28,000 are more than a process may hold.
const SOURCES_MAX: u32 = 16;

impl SourceAddresses {
    /// Addresses of which only these ports are used, as far as the system's own range holds them.
    /// Connections fail where the kernel cannot do that (Linux 6.3 can).
    pub fn with_ports(ports: RangeInclusive<u16>) -> SourceAddresses {
        SourceAddresses {
            ports: Some(ports),
            ..SourceAddresses::default()
        }
    }

    fn current(&self, remote: SocketAddr) -> Option<SocketAddr> {
        let IpAddr::V4(ip) = remote.ip() else {
            return None;
        };
        if self.given_up == 0 || !ip.is_loopback() {
            return None;
        }
        // From 127.0.1.1 up: away from the addresses that services like to listen on.
        let source = Ipv4Addr::new(127, 0, 1, (self.given_up % 250 + 1) as u8);
        Some(SocketAddr::V4(SocketAddrV4::new(source, 0)))
    }

    /// Starts to open a connection without waiting for it.
    ///
    /// # Errors
    /// When it is known at once that it cannot be opened.
    pub fn connect(&mut self, remote: SocketAddr) -> Result<OwnedFd, Failure> {
        let mut tries = if remote.ip().is_loopback() && remote.is_ipv4() {
            SOURCES_MAX
        } else {
            1
        };
        loop {
            match start(remote, self.current(remote), self.ports.as_ref()) {
                Ok(socket) => return Ok(socket),
                Err(Errno::ADDRNOTAVAIL | Errno::ADDRINUSE | Errno::AGAIN) if tries > 1 => {
                    tries -= 1;
                    self.given_up = (self.given_up + 1) % (SOURCES_MAX * 2);
                }
                Err(errno) => return Err(failure(errno)),
            }
        }
    }
}

fn start(
    remote: SocketAddr,
    source: Option<SocketAddr>,
    ports: Option<&RangeInclusive<u16>>,
) -> Result<OwnedFd, Errno> {
    let family = if remote.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    net::sockopt::set_tcp_nodelay(&socket, true)?;
    if remote.ip().is_loopback() {
        // Loopback has no congestion to control; some systems' default costs a timer per request.
        // Failure leaves the default, which is as right.
        let _ = net::sockopt::set_tcp_congestion(&socket, "reno");
    }
    if let Some(ports) = ports {
        let range = u32::from(*ports.end()) << 16 | u32::from(*ports.start());
        set_ip_option(&socket, IP_LOCAL_PORT_RANGE, range)?;
    }
    if let Some(source) = source {
        // Without this, bind takes a port that no other connection of the same source may use, even
        // to another target. Failure only means fewer ports.
        let _ = set_ip_option(&socket, libc::IP_BIND_ADDRESS_NO_PORT, 1);
        net::bind(&socket, &source)?;
    }
    match net::connect(&socket, &remote) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(errno) => Err(errno),
    }
}

/// Of `linux/in.h`: lowest port in the lower half of the value, highest in the upper.
const IP_LOCAL_PORT_RANGE: libc::c_int = 51;

fn set_ip_option(socket: &OwnedFd, option: libc::c_int, value: u32) -> Result<(), Errno> {
    // SAFETY: the pointer and length describe `value`, which lives through the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            option,
            (&raw const value).cast(),
            size_of::<u32>() as libc::socklen_t,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
    }
}

/// What an error of connecting means.
pub(super) fn failure(errno: Errno) -> Failure {
    match errno {
        Errno::CONNREFUSED => Failure::Refused,
        Errno::ADDRNOTAVAIL | Errno::ADDRINUSE | Errno::AGAIN => Failure::AddressExhausted,
        _ => Failure::Connect,
    }
}
