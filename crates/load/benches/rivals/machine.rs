//! Where and when figures were made, and keeping server and generator apart.

use std::process::Command;

use rustix::thread::{CpuSet, sched_setaffinity};

/// One line: kind of machine, kernel, date.
pub fn line() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown CPU", |rest| rest.trim_matches([' ', '\t', ':']));
    let count = cpus
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    let virtual_machine = if cpus.contains(" hypervisor") {
        ", virtual machine"
    } else {
        ""
    };
    let kernel = rustix::system::uname();
    let kernel = kernel.release().to_string_lossy().into_owned();
    let kernel = kernel.split('-').next().unwrap_or_default();
    let congestion =
        std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").unwrap_or_default();
    let date = Command::new("date").args(["-u", "+%F"]).output();
    let date = date.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    });
    format!(
        "{count} CPUs of {model}{virtual_machine}, Linux {kernel}, TCP {}, {date}",
        congestion.trim()
    )
}

/// Binds this process, and those it starts, to one CPU; says so when there is no other.
pub fn stay_on(cpu: usize) {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("only one CPU: server and generator share it, and figures say less");
        return;
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).unwrap();
}

/// The CPU of the server, and that of the generator.
pub const SERVER_CPU: usize = 0;
/// See [`SERVER_CPU`].
pub const GENERATOR_CPU: usize = 1;
