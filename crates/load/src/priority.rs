//! How urgently the kernel runs the thread that sends, for as long as a drive lasts.
//!
//! A generator that shares its CPU with what it loads, or with a database, is woken for every
//! arrival and then waits for whoever runs. Raised, it runs at once: it needs a few microseconds
//! for each request, whoever goes first, so this moves work and adds none.

use std::io;

/// The priority that the drive of an open loop asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Whatever the calling thread has.
    #[default]
    Usual,
    /// The most urgent that the system allows; see [`GrantedPriority`].
    Raised,
}

/// The priority that a drive had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GrantedPriority {
    /// What the calling thread has; nothing else was asked for.
    #[default]
    Usual,
    /// `SCHED_RR` at the lowest real-time priority. Needs `CAP_SYS_NICE` or an `RLIMIT_RTPRIO`. The
    /// kernel keeps a twentieth of each second for others (`sched_rt_runtime_us`).
    RealTime,
    /// Nice −10. Needs `CAP_SYS_NICE` or an `RLIMIT_NICE`.
    Nice,
    /// Slices of 0.1 ms: a thread that asks for short turns is let in sooner. Anyone may, from
    /// Linux 6.12 on.
    ShortSlices,
    /// The system allows none of these; why it refused the last.
    Refused(String),
}

impl GrantedPriority {
    /// The name in files.
    pub fn name(&self) -> &'static str {
        match self {
            GrantedPriority::Usual => "usual",
            GrantedPriority::RealTime => "real_time",
            GrantedPriority::Nice => "nice",
            GrantedPriority::ShortSlices => "short_slices",
            GrantedPriority::Refused(_) => "refused",
        }
    }
}

const NICE: i32 = -10;
const SLICE_NS: u64 = 100_000;

/// `struct sched_attr` of sched_setattr(2), in its first version.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

const ATTRIBUTES_BYTES: u32 = size_of::<Attributes>() as u32;

impl Attributes {
    fn of_this_thread() -> io::Result<Attributes> {
        let mut attributes = Attributes::default();
        // SAFETY: the kernel writes at most the given number of bytes, which is the structure's
        // size. Thread 0 is the calling one.
        let result = unsafe {
            libc::syscall(
                libc::SYS_sched_getattr,
                0,
                &raw mut attributes,
                ATTRIBUTES_BYTES,
                0,
            )
        };
        if result == 0 {
            Ok(attributes)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    fn apply(&self) -> io::Result<()> {
        // SAFETY: the kernel reads `size` bytes, which is the structure's size.
        let result =
            unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(self), 0) };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

/// Holds the priority of the calling thread; gives back the former one when dropped.
#[derive(Debug)]
pub(crate) struct PriorityGuard {
    before: Option<Attributes>,
    pub granted: GrantedPriority,
}

impl PriorityGuard {
    pub fn new(asked: Priority) -> PriorityGuard {
        let (before, granted) = match asked {
            Priority::Usual => (None, GrantedPriority::Usual),
            Priority::Raised => match Attributes::of_this_thread() {
                Ok(before) => (Some(before), raise(&before)),
                Err(error) => (None, GrantedPriority::Refused(error.to_string())),
            },
        };
        PriorityGuard { before, granted }
    }
}

impl Drop for PriorityGuard {
    fn drop(&mut self) {
        let Some(before) = self.before else { return };
        if before.apply().is_err() {
            // Without rights a thread may lower itself, but not take back that what it forks is
            // born at the usual priority, which harms nobody.
            let flags = before.flags | libc::SCHED_FLAG_RESET_ON_FORK as u64;
            let _ = Attributes { flags, ..before }.apply();
        }
    }
}

/// Takes the most urgent priority there is to have.
fn raise(before: &Attributes) -> GrantedPriority {
    if before.policy != libc::SCHED_OTHER as u32 {
        return GrantedPriority::Refused("the thread already has a policy of its own".to_owned());
    }
    // Processes begun meanwhile are not to inherit it.
    let flags = before.flags | libc::SCHED_FLAG_RESET_ON_FORK as u64;
    let real_time = Attributes {
        policy: libc::SCHED_RR as u32,
        nice: 0,
        priority: 1,
        runtime_ns: 0,
        flags,
        ..*before
    };
    if real_time.apply().is_ok() {
        return GrantedPriority::RealTime;
    }
    let nice = Attributes {
        nice: NICE.min(before.nice),
        runtime_ns: SLICE_NS,
        flags,
        ..*before
    };
    if nice.apply().is_ok() {
        return GrantedPriority::Nice;
    }
    let short_slices = Attributes {
        runtime_ns: SLICE_NS,
        ..*before
    };
    let set = short_slices
        .apply()
        .and_then(|()| Attributes::of_this_thread());
    match set {
        Ok(now) if now.runtime_ns == SLICE_NS => GrantedPriority::ShortSlices,
        // Older kernels take the figure and ignore it.
        Ok(_) => GrantedPriority::Refused("needs CAP_SYS_NICE, or Linux 6.12".to_owned()),
        Err(error) => GrantedPriority::Refused(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a thread of its own: what is raised must not stay with a thread that runs other tests.
    fn on_a_thread<T: Send>(f: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(f).join().expect("the closure does not panic"))
    }

    #[test]
    fn a_raised_priority_is_given_back() {
        on_a_thread(|| {
            let before = Attributes::of_this_thread().expect("any thread may ask");
            let guard = PriorityGuard::new(Priority::Raised);
            let during = Attributes::of_this_thread().expect("any thread may ask");
            match guard.granted {
                GrantedPriority::RealTime => assert_eq!(during.policy, libc::SCHED_RR as u32),
                GrantedPriority::Nice => assert_eq!(during.nice, NICE),
                GrantedPriority::ShortSlices => assert_eq!(during.runtime_ns, SLICE_NS),
                GrantedPriority::Refused(_) => {}
                GrantedPriority::Usual => panic!("something was asked for"),
            }
            drop(guard);
            let after = Attributes::of_this_thread().expect("any thread may ask");
            assert_eq!(
                (after.policy, after.nice, after.priority, after.runtime_ns),
                (
                    before.policy,
                    before.nice,
                    before.priority,
                    before.runtime_ns
                )
            );
        });
    }

    #[test]
    fn the_usual_priority_is_left_alone() {
        on_a_thread(|| {
            let before = Attributes::of_this_thread().expect("any thread may ask");
            let guard = PriorityGuard::new(Priority::Usual);
            assert_eq!(
                Attributes::of_this_thread().expect("any thread may ask"),
                before
            );
            assert_eq!(guard.granted, GrantedPriority::Usual);
        });
    }

    #[test]
    fn children_of_a_raised_thread_are_born_usual() {
        on_a_thread(|| {
            let before = Attributes::of_this_thread().expect("any thread may ask");
            let guard = PriorityGuard::new(Priority::Raised);
            let child = on_a_thread(|| Attributes::of_this_thread().expect("any thread may ask"));
            assert_eq!(child.policy, before.policy);
            assert!(child.nice >= before.nice.min(0), "{}", child.nice);
            drop(guard);
        });
    }
}
