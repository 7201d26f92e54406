//! Everything that can drive the server that does nothing: our own processes and the rivals.

use std::net::SocketAddr;
use std::process::Command;

use super::rivals;
use super::settings::Settings;

/// This bench in one of its own roles.
pub fn itself(role: &str, addr: SocketAddr, connections: u32, seconds: f64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        role,
        &addr.to_string(),
        &connections.to_string(),
        &seconds.to_string(),
    ]);
    command
}

/// Those to compare ours with. The bare loop comes first; its twin with the system's congestion
/// control, which rivals have, only when asked for.
pub fn besides_ours(
    settings: &Settings,
    addr: SocketAddr,
    connections: u32,
    seconds: f64,
) -> Vec<(&'static str, Command)> {
    let bare = itself("bare", addr, connections, seconds);
    let bare_default = itself("bare-default", addr, connections, seconds);
    let asked = settings.only.is_some();
    [("bare", bare), ("bare-default", bare_default)]
        .into_iter()
        .filter(|(name, _)| asked || *name == "bare")
        .chain(rivals::found(addr, connections, seconds))
        .filter(|(name, _)| settings.wants(name))
        .collect()
}
