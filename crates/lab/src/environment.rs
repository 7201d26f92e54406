//! Describes the machine for the record. What cannot be read is left out.

use std::collections::BTreeMap;
use std::fs;

use record::Environment;

/// Reads what the kernel tells about this machine.
pub fn environment(versions: BTreeMap<String, String>) -> Environment {
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Environment {
        kernel: first_line("/proc/sys/kernel/osrelease"),
        distribution: distribution(),
        cpu_model: field(&cpu_info, "model name"),
        cpus_count: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        memory_bytes: memory_bytes(),
        virtualization: virtualization(&cpu_info),
        governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        idle_cpus_poll: false,
        versions,
        database_settings: BTreeMap::new(),
        warnings: Vec::new(),
    }
}

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

fn field(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn distribution() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let total = field(&text, "MemTotal")?;
    let kilobytes: u64 = total.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The hypervisor's name where firmware tells it, else only that there is one.
fn virtualization(cpu_info: &str) -> Option<String> {
    let flags = field(cpu_info, "flags").unwrap_or_default();
    let guest = flags.split_whitespace().any(|flag| flag == "hypervisor");
    let vendor = first_line("/sys/class/dmi/id/sys_vendor");
    guest.then(|| vendor.unwrap_or_else(|| "virtual machine".to_owned()))
}
