//! Send delay on a CPU that other processes want all the time, with and without a raised priority.
//!
//! Only of requests that found a free connection: waiting for one is the server's doing.

use std::process::{Child, Command};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use load::{Dispatch, EngineOptions, Pacing, Priority, Rate, Session, Slice};

use super::machine::{self, GENERATOR_CPU};
use super::ours::target;
use super::server::Server;
use super::settings::Settings;

/// Computes for ever.
pub fn hog() {
    let mut number = 1_u64;
    loop {
        number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005) + 1);
    }
}

/// Prints one row for each priority and number of hogs.
pub fn compare(settings: &Settings) {
    let seconds = settings.seconds.unwrap_or(10.0);
    let server = Server::start(2);
    machine::stay_on(GENERATOR_CPU);
    println!("{seconds} s each; {}\n", machine::line());
    println!(
        "| arrivals/s | processes that compute on the same CPU | priority | send delay p50, µs | p90, µs | p99, µs |\n\
         | ---: | ---: | --- | ---: | ---: | ---: |"
    );
    for &rate in &settings.rates {
        for hogs in [0, 1, 4] {
            let _hogs: Vec<_> = (0..hogs).map(|_| Hog::start()).collect();
            for priority in [Priority::Usual, Priority::Raised] {
                row(&server, rate, seconds, hogs, priority);
            }
        }
    }
}

fn row(server: &Server, rate: f64, seconds: f64, hogs: usize, priority: Priority) {
    let options = EngineOptions {
        priority,
        ..EngineOptions::default()
    };
    let mut session = Session::new(options).unwrap();
    let target = session.add_target(target(server.addr));
    let pacing = Pacing::Open {
        rate: Rate::constant(rate),
        connections: 50,
        dispatch: Dispatch::Shared,
    };
    let slice = Slice::new(pacing, Duration::from_secs_f64(seconds));
    let stop = AtomicBool::new(false);
    let seen = session.drive(target, &slice, &mut |_| {}, &stop).unwrap();
    let us = |q| format!("{:.1}", seen.own_delay.value_at_quantile(q) as f64 / 1e3);
    println!(
        "| {rate} | {hogs} | {} | {} | {} | {} |",
        session.granted_priority().name(),
        us(0.5),
        us(0.9),
        us(0.99),
    );
}

struct Hog(Child);

impl Hog {
    fn start() -> Hog {
        let exe = std::env::current_exe().unwrap();
        Hog(Command::new(exe).arg("hog").spawn().unwrap())
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
