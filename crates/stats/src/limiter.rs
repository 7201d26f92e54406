//! What limits a service in the closed loop: where its requests are while they wait.
//!
//! A closed loop keeps a fixed number of requests under way. Whatever is busy all the time, or holds most of them,
//! is what a faster service would have to have more of. The rule looks for what is saturated first (a CPU that is
//! full explains every queue in front of it), then for where requests stand in line, and says "idle" where neither
//! is found: requests that wait while nothing works for them wait for a clock.

/// Figures of a service's closed loop; what was not measured is absent and decides nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Requests under way: connections of the generator.
    pub concurrency: f64,
    /// CPUs that the service may use.
    pub service_cpus: f64,
    /// CPUs that generator and database may use.
    pub bench_cpus: f64,
    /// CPU time of the service tree over wall time.
    pub service_cpu: Option<f64>,
    /// CPU time of its busiest thread over wall time.
    pub busiest_thread_cpu: Option<f64>,
    /// Time for which that thread was ready and had no CPU, over wall time.
    pub busiest_thread_wait: Option<f64>,
    /// Share of the service's CPUs' time in which anything ran on them, 0 to 1.
    pub service_cpus_busy: Option<f64>,
    /// Time for which its threads were ready and had no CPU, all together, over wall time.
    pub run_queue_wait: Option<f64>,
    /// CPU time of the database over wall time.
    pub database_cpu: Option<f64>,
    /// CPU time of the generator, one thread, over wall time.
    pub generator_cpu: Option<f64>,
    /// Time for which the generator was ready and had no CPU, over wall time.
    pub generator_wait: Option<f64>,
    /// Completion rate over that of a server that does nothing.
    pub null_server_share: Option<f64>,
    /// Share of the bench's CPUs' time in which anything ran on them, 0 to 1.
    pub bench_cpus_busy: Option<f64>,
    /// Mean connections to the database.
    pub backends: Option<f64>,
    /// Of these, running a statement or within a transaction.
    pub backends_in_use: Option<f64>,
    /// Of these, running a statement and waiting for nothing but a CPU.
    pub backends_running: Option<f64>,
    /// Of these, waiting for a lock of another transaction.
    pub backends_lock_wait: Option<f64>,
    /// Mean upstream calls that wait for their answer.
    pub upstream_under_way: Option<f64>,
}

/// What limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// The service's CPUs.
    ApplicationCpu,
    /// One thread of the service, while others could work.
    OneThread,
    /// Too few connections to the database for the requests under way.
    PoolWait,
    /// The database's CPU.
    DatabaseCpu,
    /// Statements that wait within the database, neither for a CPU nor for a lock.
    DatabaseWait,
    /// A lock in the database.
    Lock,
    /// The upstream.
    Upstream,
    /// The load generator: the figure is the bench's.
    Generator,
    /// Nothing works: requests wait for time to pass.
    Idle,
    /// Several things a little, none of them enough to say so.
    Mixed,
}

/// Limits of the rule, all in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// CPU is saturated from here on: 0.85. What is left goes to interrupts and to windows' edges.
    pub saturated: f64,
    /// Where other processes take the service's CPUs, these are busy from here on: 0.95.
    pub busy: f64,
    /// Where most requests stand at the service's CPUs, these are full from here on: 0.75. How busy they were is read
    /// around a whole drive, its start and its edges included, in which they are not full yet or no longer.
    pub filled: f64,
    /// The busiest thread does nearly all of the service's work: 0.8 of its CPU time.
    pub one_thread_share: f64,
    /// The completion rate is the generator's: 0.9 of what it reaches against a server that does nothing.
    pub null_server_share: f64,
    /// Above this share of it, what that server reached was spoiled and says nothing: 1.25.
    pub null_server_credible: f64,
    /// Share of the requests under way that stand in one place: 0.5.
    pub standing: f64,
    /// Share of the connections in use that wait for locks: 0.5.
    pub locked: f64,
    /// Share of the connections in use at which a pool that is smaller than the concurrency is what is waited
    /// for: 0.6.
    pub pool_in_use: f64,
    /// CPU of service, database or generator below which nothing works: 0.5 of what they may use.
    pub idle: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            saturated: 0.85,
            busy: 0.95,
            filled: 0.75,
            one_thread_share: 0.8,
            null_server_share: 0.9,
            null_server_credible: 1.25,
            standing: 0.5,
            locked: 0.5,
            pool_in_use: 0.6,
            idle: 0.5,
        }
    }
}

/// What limits a service; `None` where the service's CPU time or the concurrency is not known, so that nothing can
/// be ruled out.
pub fn limiter(evidence: &Evidence, thresholds: &Thresholds) -> Option<Limiter> {
    let rule = Rule {
        seen: evidence,
        limits: thresholds,
    };
    evidence.service_cpu?;
    if evidence.concurrency <= 0.0 {
        return None;
    }
    let (service, bench) = (rule.service_load(), rule.bench_load());
    // The fuller side is the one that keeps the other waiting.
    let cpu = if service >= bench {
        rule.service_cpu().or_else(|| rule.bench_cpu())
    } else {
        rule.bench_cpu().or_else(|| rule.service_cpu())
    };
    cpu.or_else(|| rule.queue())
        .or_else(|| rule.starved_generator())
        .or_else(|| Some(rule.rest()))
}

struct Rule<'a> {
    seen: &'a Evidence,
    limits: &'a Thresholds,
}

impl Rule<'_> {
    /// How full the service's CPUs are with what the service does or wants to do, 0 to 1.
    fn service_load(&self) -> f64 {
        let seen = self.seen;
        let used = seen.service_cpu.unwrap_or(0.0);
        let at_cpu = used + seen.run_queue_wait.unwrap_or(0.0);
        // A CPU that others fill too, or that the hypervisor gives to others, is full for the service as well, if
        // that is where its requests stand.
        let is_filled = seen
            .service_cpus_busy
            .is_some_and(|ratio| ratio >= self.limits.filled);
        if is_filled && self.is_standing(at_cpu) {
            return 1.0;
        }
        (used / seen.service_cpus.max(1.0)).min(1.0)
    }

    fn is_busy(&self, ratio: Option<f64>) -> bool {
        ratio.is_some_and(|ratio| ratio >= self.limits.busy)
    }

    /// Whether so many of the requests under way are most of them.
    fn is_standing(&self, count: f64) -> bool {
        count / self.seen.concurrency >= self.limits.standing
    }

    fn bench_load(&self) -> f64 {
        let seen = self.seen;
        let used = seen.database_cpu.unwrap_or(0.0) + seen.generator_cpu.unwrap_or(0.0);
        (used / seen.bench_cpus.max(1.0))
            .max(seen.generator_cpu.unwrap_or(0.0))
            .min(1.0)
    }

    /// One thread that does nearly everything is named as such, however many CPUs there are: more of them, or more
    /// threads on the same ones, would not help it.
    fn service_cpu(&self) -> Option<Limiter> {
        let (seen, limits) = (self.seen, self.limits);
        let used = seen.service_cpu.unwrap_or(0.0);
        let is_full = self.service_load() >= limits.saturated;
        if let Some(busiest) = seen.busiest_thread_cpu {
            let does_nearly_all = busiest >= limits.one_thread_share * used;
            let waited = match self.is_busy(seen.service_cpus_busy) {
                true => seen.busiest_thread_wait.unwrap_or(0.0),
                false => 0.0,
            };
            if does_nearly_all && (busiest + waited >= limits.saturated || is_full) {
                return Some(Limiter::OneThread);
            }
        }
        if is_full {
            return Some(Limiter::ApplicationCpu);
        }
        // Others of its threads work too, but one is full.
        seen.busiest_thread_cpu
            .filter(|busiest| *busiest >= limits.saturated)
            .map(|_| Limiter::OneThread)
    }

    fn bench_cpu(&self) -> Option<Limiter> {
        let (seen, limits) = (self.seen, self.limits);
        if self.bench_load() < limits.saturated {
            return seen
                .null_server_share
                .filter(|share| {
                    (limits.null_server_share..=limits.null_server_credible).contains(share)
                })
                .map(|_| Limiter::Generator);
        }
        let (database, generator) = (
            seen.database_cpu.unwrap_or(0.0),
            seen.generator_cpu.unwrap_or(0.0),
        );
        Some(match database > generator {
            true => Limiter::DatabaseCpu,
            false => Limiter::Generator,
        })
    }

    /// Where requests stand while no CPU is full.
    fn queue(&self) -> Option<Limiter> {
        let (seen, limits) = (self.seen, self.limits);
        let in_use = seen.backends_in_use.unwrap_or(0.0);
        if let Some(waiting) = seen.backends_lock_wait
            && waiting > 0.0
            && waiting >= limits.locked * in_use
        {
            return Some(Limiter::Lock);
        }
        if seen
            .upstream_under_way
            .is_some_and(|count| self.is_standing(count))
        {
            return Some(Limiter::Upstream);
        }
        // Others fill the database's CPUs too: what runs there and waits for nothing else waits for one.
        let running = seen.backends_running.unwrap_or(0.0);
        if self.is_busy(seen.bench_cpus_busy) && self.is_standing(running) {
            return Some(Limiter::DatabaseCpu);
        }
        let backends = seen.backends.unwrap_or(0.0);
        let is_short = backends > 0.0 && backends < seen.concurrency;
        if is_short && in_use >= limits.pool_in_use * backends {
            return Some(Limiter::PoolWait);
        }
        self.is_standing(in_use).then_some(Limiter::DatabaseWait)
    }

    /// The generator has work and no CPU to do it on.
    fn starved_generator(&self) -> Option<Limiter> {
        let seen = self.seen;
        let wanted = seen.generator_cpu.unwrap_or(0.0) + seen.generator_wait?;
        (wanted >= self.limits.saturated).then_some(Limiter::Generator)
    }

    fn rest(&self) -> Limiter {
        let used = self.seen.service_cpu.unwrap_or(0.0) / self.seen.service_cpus.max(1.0);
        match used.max(self.bench_load()) < self.limits.idle {
            true => Limiter::Idle,
            false => Limiter::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten requests under way on one CPU a side, and nothing works.
    fn quiet() -> Evidence {
        Evidence {
            concurrency: 10.0,
            service_cpus: 1.0,
            bench_cpus: 1.0,
            service_cpu: Some(0.1),
            busiest_thread_cpu: Some(0.05),
            generator_cpu: Some(0.1),
            database_cpu: Some(0.05),
            ..Evidence::default()
        }
    }

    fn of(evidence: Evidence) -> Option<Limiter> {
        limiter(&evidence, &Thresholds::default())
    }

    #[test]
    fn without_the_services_cpu_time_nothing_is_said() {
        let unknown = Evidence {
            service_cpu: None,
            ..quiet()
        };
        assert_eq!(of(unknown), None);
        assert_eq!(of(Evidence::default()), None);
    }

    #[test]
    fn where_nothing_works_and_nobody_stands_in_line_the_service_waits_for_time_to_pass() {
        assert_eq!(of(quiet()), Some(Limiter::Idle));
    }

    #[test]
    fn a_full_cpu_is_the_threads_when_one_does_nearly_all_and_the_cpus_when_they_share_it() {
        let full = |busiest| Evidence {
            service_cpu: Some(0.97),
            busiest_thread_cpu: Some(busiest),
            ..quiet()
        };
        assert_eq!(of(full(0.1)), Some(Limiter::ApplicationCpu));
        assert_eq!(of(full(0.95)), Some(Limiter::OneThread));
    }

    #[test]
    fn one_full_thread_limits_on_many_cpus_although_the_others_work() {
        let many = Evidence {
            service_cpus: 4.0,
            service_cpu: Some(1.6),
            busiest_thread_cpu: Some(0.96),
            ..quiet()
        };
        assert_eq!(of(many), Some(Limiter::OneThread));
        let shared = Evidence {
            busiest_thread_cpu: Some(0.4),
            ..many
        };
        assert_eq!(of(shared), Some(Limiter::Idle));
    }

    #[test]
    fn a_service_that_others_keep_from_its_cpu_is_still_limited_by_it() {
        let robbed = Evidence {
            service_cpu: Some(0.4),
            service_cpus_busy: Some(1.0),
            run_queue_wait: Some(6.0),
            ..quiet()
        };
        assert_eq!(of(robbed), Some(Limiter::ApplicationCpu));
        let free = Evidence {
            service_cpus_busy: Some(0.45),
            ..robbed
        };
        assert_eq!(of(free), Some(Limiter::Idle));
        // Each of ten sleepers waits a little for its CPU, and most of the time for its alarm.
        let sleeping = Evidence {
            service_cpu: Some(0.11),
            run_queue_wait: Some(1.1),
            ..robbed
        };
        assert_eq!(of(sleeping), Some(Limiter::Idle));
        let hot = Evidence {
            service_cpu: Some(0.25),
            busiest_thread_cpu: Some(0.24),
            busiest_thread_wait: Some(0.7),
            run_queue_wait: Some(0.8),
            ..robbed
        };
        assert_eq!(of(hot), Some(Limiter::OneThread));
    }

    #[test]
    fn a_database_that_others_keep_from_its_cpu_is_still_limited_by_it() {
        let robbed = Evidence {
            database_cpu: Some(0.5),
            bench_cpus_busy: Some(1.0),
            backends: Some(10.0),
            backends_in_use: Some(7.0),
            backends_running: Some(6.5),
            ..quiet()
        };
        assert_eq!(of(robbed), Some(Limiter::DatabaseCpu));
        let waiting = Evidence {
            backends_running: Some(0.5),
            ..robbed
        };
        assert_eq!(of(waiting), Some(Limiter::DatabaseWait));
    }

    #[test]
    fn of_two_full_sides_the_fuller_one_limits() {
        let both = |service, database| Evidence {
            service_cpu: Some(service),
            database_cpu: Some(database),
            generator_cpu: Some(0.1),
            ..quiet()
        };
        assert_eq!(of(both(0.86, 0.88)), Some(Limiter::DatabaseCpu));
        assert_eq!(of(both(0.99, 0.76)), Some(Limiter::ApplicationCpu));
    }

    #[test]
    fn a_shared_cpu_is_the_databases_or_the_generators_by_who_uses_more_of_it() {
        let shared = |database, generator| Evidence {
            database_cpu: Some(database),
            generator_cpu: Some(generator),
            ..quiet()
        };
        assert_eq!(of(shared(0.6, 0.35)), Some(Limiter::DatabaseCpu));
        assert_eq!(of(shared(0.3, 0.65)), Some(Limiter::Generator));
    }

    #[test]
    fn a_generator_without_a_cpu_limits_only_where_nothing_else_explains_the_wait() {
        let starved = Evidence {
            generator_cpu: Some(0.1),
            generator_wait: Some(0.88),
            ..quiet()
        };
        assert_eq!(of(starved), Some(Limiter::Generator));
        let locked = Evidence {
            backends: Some(5.0),
            backends_in_use: Some(5.0),
            backends_lock_wait: Some(4.0),
            ..starved
        };
        assert_eq!(of(locked), Some(Limiter::Lock));
    }

    #[test]
    fn requests_that_stand_in_line_name_the_line() {
        let pool = Evidence {
            backends: Some(1.0),
            backends_in_use: Some(0.9),
            ..quiet()
        };
        assert_eq!(of(pool), Some(Limiter::PoolWait));
        let upstream = Evidence {
            upstream_under_way: Some(9.0),
            ..quiet()
        };
        assert_eq!(of(upstream), Some(Limiter::Upstream));
        let lock = Evidence {
            backends: Some(10.0),
            backends_in_use: Some(9.5),
            backends_lock_wait: Some(8.5),
            ..quiet()
        };
        assert_eq!(of(lock), Some(Limiter::Lock));
        let wait = Evidence {
            backends_lock_wait: Some(0.0),
            ..lock
        };
        assert_eq!(of(wait), Some(Limiter::DatabaseWait));
    }

    #[test]
    fn a_pool_as_large_as_the_concurrency_is_never_waited_for() {
        let large = Evidence {
            backends: Some(10.0),
            backends_in_use: Some(3.0),
            ..quiet()
        };
        assert_eq!(of(large), Some(Limiter::Idle));
    }

    #[test]
    fn a_rate_near_the_null_servers_is_the_generators() {
        let near = Evidence {
            service_cpu: Some(0.6),
            generator_cpu: Some(0.7),
            null_server_share: Some(0.93),
            ..quiet()
        };
        assert_eq!(of(near), Some(Limiter::Generator));
        let spoiled = Evidence {
            null_server_share: Some(40.0),
            ..near
        };
        assert_eq!(of(spoiled), Some(Limiter::Mixed));
    }

    #[test]
    fn half_used_cpus_and_no_line_are_no_single_limit() {
        let mixed = Evidence {
            service_cpu: Some(0.6),
            ..quiet()
        };
        assert_eq!(of(mixed), Some(Limiter::Mixed));
    }
}
