//! What happens when the ports of a source address run out.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use load::transport::{Epoll, SourceAddresses};
use load::{Observations, Outcome, Pacing, Requests, Session, Share, Slice, Target, request_bytes};
use support::ok;

type Peers = Arc<Mutex<BTreeSet<SocketAddr>>>;

/// Answers every request, and keeps who connected.
fn server() -> (SocketAddr, Peers) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let peers = Peers::default();
    let seen = peers.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            seen.lock().unwrap().insert(stream.peer_addr().unwrap());
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(1..) = stream.read(&mut buffer) {
                    if stream.write_all(&ok(b"ok")).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (addr, peers)
}

/// The last four ports that the system gives to connections, if the kernel can be held to them.
fn four_ports() -> Option<RangeInclusive<u16>> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let last: u16 = range.split_whitespace().last()?.parse().ok()?;
    let ports = last - 3..=last;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let probe = SourceAddresses::with_ports(ports.clone()).connect(listener.local_addr().unwrap());
    probe.ok().map(|_| ports)
}

/// One request on each of so many connections.
fn one_request_each(
    addr: SocketAddr,
    ports: RangeInclusive<u16>,
    connections: u32,
) -> Observations {
    let transport = Epoll::with_sources(SourceAddresses::with_ports(ports)).unwrap();
    let mut session = Session::with_transport(transport, Share::WHOLE, 1);
    let request = request_bytes("GET", "/", "server", &[], None);
    let target = session.add_target(Target::new(addr, "server", Requests::same(request)));
    let pacing = Pacing::Closed {
        concurrency: connections,
        think_time: Duration::ZERO,
    };
    let slice = Slice {
        requests: Some(u64::from(connections)),
        ..Slice::new(pacing, Duration::from_secs(60))
    };
    session
        .drive(target, &slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}

#[test]
fn when_ports_run_out_further_loopback_addresses_take_over() {
    let Some(ports) = four_ports() else { return };
    let (addr, peers) = server();
    let seen = one_request_each(addr, ports.clone(), 22);
    assert_eq!(seen.good_count(), 22, "{:?}", seen.outcomes);
    let mut by_source: BTreeMap<IpAddr, usize> = BTreeMap::new();
    for peer in &*peers.lock().unwrap() {
        assert!(
            ports.contains(&peer.port()) && peer.ip().is_loopback(),
            "{peer}"
        );
        *by_source.entry(peer.ip()).or_default() += 1;
    }
    assert_eq!(by_source.values().sum::<usize>(), 22);
    assert!(by_source.len() >= 6, "{by_source:?}");
    assert!(by_source.values().all(|&count| count <= 4), "{by_source:?}");
}

#[test]
fn when_every_source_has_run_out_requests_end_as_address_exhausted() {
    let Some(ports) = four_ports() else { return };
    let (addr, peers) = server();
    let seen = one_request_each(addr, ports, 200);
    let opened = peers.lock().unwrap().len() as u64;
    let exhausted = seen.outcome(Outcome::AddressExhausted);
    // At most 32 sources of 4 ports.
    assert!(opened <= 128 && exhausted >= 72, "{opened} {exhausted}");
    assert_eq!(seen.good_count() + exhausted, 200, "{:?}", seen.outcomes);
    assert_eq!(seen.scheduled_count(), 200);
}
