//! Where and when figures were made, and keeping server and generator apart.

use std::process::Command;

use rustix::event::Timespec;
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
    let idle = if load::idle_cpus_poll() {
        ", idle CPUs poll"
    } else {
        ""
    };
    format!(
        "{count} CPUs of {model}{virtual_machine}, Linux {kernel}, TCP {}{idle}, {date}",
        congestion.trim()
    )
}

/// Binds this thread, and what it starts, to one CPU; says so when there is no such.
pub fn stay_on(cpu: usize) {
    let mut set = CpuSet::new();
    set.set(cpu);
    if sched_setaffinity(None, &set).is_err() {
        eprintln!(
            "CPU {cpu} is not to be had: server and generator share one, and figures say less"
        );
    }
}

/// Binds this thread to the CPU of the server, at the usual priority: one that never sleeps and goes before all others
/// is stopped by the kernel for a twentieth of each second (`sched_rt_runtime_us`).
pub fn serve_here() {
    stay_on(SERVER_CPU);
    // SAFETY: the parameter is read during the call, and 0 means the calling thread.
    unsafe {
        libc::sched_setscheduler(
            0,
            libc::SCHED_OTHER,
            &libc::sched_param { sched_priority: 0 },
        );
    }
}

/// The CPU of the generator; [`serve_here`] has the other.
pub const GENERATOR_CPU: usize = 1;
const SERVER_CPU: usize = 0;

/// How long a server waits that never sleeps.
pub const NOT_AT_ALL: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};
