//! Signals: sent to exactly the process or group that was meant, and survived by the guardian.

use std::io;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

use super::process::{self, Stat};

fn pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Sends SIGKILL to the process that `seen` describes, and to no later one with the same id: the descriptor
/// holds on to whatever has the id now, and only then its start time is compared. True when it was sent.
pub(super) fn kill_exactly(seen: &Stat) -> bool {
    let Some(descriptor) = pid(seen.pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
    else {
        return false;
    };
    let is_same =
        process::stat(seen.pid).is_some_and(|now| now.started_ticks == seen.started_ticks);
    is_same && pidfd_send_signal(descriptor, Signal::KILL).is_ok()
}

/// Sends a signal to a process group that is known to have a living member.
pub(super) fn send_to_group(leader: u32, number: i32) {
    let signal = match number {
        libc::SIGINT => Signal::INT,
        libc::SIGKILL => Signal::KILL,
        libc::SIGQUIT => Signal::QUIT,
        _ => Signal::TERM,
    };
    if let Some(leader) = pid(leader) {
        // Refused only when the last member ended in between, which is what was wanted.
        let _ = kill_process_group(leader, signal);
    }
}

/// Makes this process survive what ends others politely. A handler that does nothing, and not "ignore": a
/// program that is executed later inherits what is ignored, but not a handler.
pub(super) fn survive_polite_signals() -> io::Result<()> {
    extern "C" fn nothing(_signal: libc::c_int) {}
    for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: an all-zero sigaction is valid, the handler does nothing and is thus async-signal-safe, and
        // both pointers are valid for the call.
        let result = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(number, &raw const action, std::ptr::null_mut())
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
