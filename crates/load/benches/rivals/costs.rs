//! What a request costs the generator, ours beside another, in alternating pairs.
//!
//! Server on one CPU, generator on the other. CPU time is what the kernel charged to the
//! generator's process, start and end included; requests are those the server counted.

use std::process::Command;

use super::contenders::{besides_ours, itself};
use super::interval;
use super::machine::{self, GENERATOR_CPU};
use super::server::{Cost, Server, measure};
use super::settings::Settings;

/// Prints one row for each rival, number of connections and size of body.
pub fn compare(settings: &Settings) {
    machine::stay_on(GENERATOR_CPU);
    let seconds = settings.seconds.unwrap_or(2.0);
    println!(
        "{} pairs of {seconds} s; {}\n",
        settings.rounds,
        machine::line()
    );
    println!(
        "| beside | connections | body, bytes | CPU per request, µs: ours / theirs | ratio, 95 % interval | in user mode, µs: ours / theirs | ratio | requests/s: ours / theirs | ratio, 95 % interval | sleeps per request: ours / theirs |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for &body in &settings.bodies {
        for &connections in &settings.connections {
            let mut server = Server::start(body);
            let addr = server.addr;
            let mut own = itself("ours", addr, connections, seconds);
            for (name, mut rival) in besides_ours(settings, addr, connections, seconds) {
                eprintln!("{name}, {connections} connections, {body} bytes");
                match pairs(settings.rounds, &mut server, &mut own, &mut rival) {
                    Some(pairs) => {
                        println!("| {name} | {connections} | {body} | {} |", row(&pairs))
                    }
                    None => eprintln!("{name} did not run"),
                }
            }
        }
    }
}

/// Ours and theirs, run one after the other.
struct Pair {
    ours: Cost,
    theirs: Cost,
}

fn pairs(
    rounds: usize,
    server: &mut Server,
    own: &mut Command,
    rival: &mut Command,
) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    for round in 0..rounds {
        // Who goes first changes from pair to pair.
        let (ours, theirs) = if round % 2 == 0 {
            let ours = measure(server, own)?;
            (ours, measure(server, rival)?)
        } else {
            let theirs = measure(server, rival)?;
            (measure(server, own)?, theirs)
        };
        pairs.push(Pair { ours, theirs });
    }
    Some(pairs)
}

fn row(pairs: &[Pair]) -> String {
    let medians = |figure: fn(&Cost) -> f64, digits: usize| {
        let median = |of: fn(&Pair) -> &Cost| {
            interval::median(pairs.iter().map(|pair| figure(of(pair))).collect())
        };
        let (ours, theirs) = (median(|pair| &pair.ours), median(|pair| &pair.theirs));
        format!("{ours:.digits$} / {theirs:.digits$}")
    };
    let ratio = |figure: fn(&Cost) -> f64| {
        let ratios = pairs
            .iter()
            .map(|pair| figure(&pair.ours) / figure(&pair.theirs));
        interval::of_ratios(ratios.collect())
    };
    // User mode is sampled at ticks: single runs say little, so it is the ratio of the sums.
    let user = |of: fn(&Pair) -> &Cost| pairs.iter().map(|pair| of(pair).user_us).sum::<f64>();
    format!(
        "{} | {} | {} | {:.2} | {} | {} | {}",
        medians(|cost| cost.cpu_us, 2),
        ratio(|cost| cost.cpu_us),
        medians(|cost| cost.user_us, 2),
        user(|pair| &pair.ours) / user(|pair| &pair.theirs),
        medians(|cost| cost.requests_per_s, 0),
        ratio(|cost| cost.requests_per_s),
        medians(|cost| cost.sleeps, 3),
    )
}
