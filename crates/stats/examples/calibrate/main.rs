//! Prints the calibration figures of METHOD: `cargo run --release -p stats --example calibrate`.
//!
//! An optional argument sets the comparisons per figure (10000), another the seed (1).

#![allow(clippy::print_stdout)]

use rand::SeedableRng;
use rand_pcg::Pcg64;
use stats::calibration::family::{Together, studentised_range, together};
use stats::calibration::{self, planted, tail};
use stats::simulate::{Bench, Drift, Order, Tail, Treatment};

const HEAVY: Tail = Tail::Heavy {
    share: 0.1,
    times: 5.0,
};
const TAILS: [(&str, Tail); 2] = [("normal", Tail::Normal), ("heavy", HEAVY)];
/// A fifth slower by the end, a wandering machine, and one that halves its speed for some twenty slices.
const DRIFTS: [(&str, Drift); 4] = [
    ("still", Drift::Still),
    ("linear 20 %", Drift::Linear(0.2)),
    ("random walk", Drift::Walk(0.02)),
    (
        "switching 2x",
        Drift::Switching {
            log_slowdown: std::f64::consts::LN_2,
            chance: 0.05,
        },
    ),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| {
        let argument = arguments.next();
        argument
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let repeats = number(10_000) as usize;
    let seed = number(1);
    println!("{repeats} comparisons per figure, seed {seed}; shares in %\n");
    let random = &mut Pcg64::seed_from_u64(seed);
    coverage(repeats, random);
    orders(repeats, random);
    bootstrap(repeats, random);
    stopping(repeats, random);
    pairs(repeats, random);
    tails(repeats / 5, random);
    verdicts(repeats / 10, random);
}

/// Treatments that are alike, with 2 % noise of the start and 5 % of a slice.
fn alike(count: usize, drift: Drift, tail: Tail) -> Bench {
    let treatment = Treatment {
        log_level: 0.0,
        start_sd: 0.02,
        slice_sd: 0.05,
    };
    Bench {
        treatments: vec![treatment; count],
        drift,
        tail,
        slices: 6,
    }
}

/// Treatments measured in one slice per trial.
fn unsliced(log_levels: &[f64], sd: f64, drift: Drift) -> Bench {
    let treatment = |log_level: &f64| Treatment {
        log_level: *log_level,
        start_sd: sd,
        slice_sd: 0.0,
    };
    Bench {
        treatments: log_levels.iter().map(treatment).collect(),
        drift,
        tail: Tail::Normal,
        slices: 1,
    }
}

fn coverage(repeats: usize, random: &mut Pcg64) {
    println!("## Coverage of 95 % intervals, a stack against itself, sliced blocks");
    println!(
        "| drift | tail | blocks | t | signed rank | half-width, sliced | half-width, solo trials |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (drift_name, drift) in DRIFTS {
        for (tail_name, tail) in TAILS {
            for blocks in [8, 12, 20] {
                let bench = alike(2, drift, tail);
                let mut of = |order| calibration::coverage(&bench, order, blocks, repeats, random);
                let (sliced, solo) = (of(Order::SlicedBlocks), of(Order::RandomBlocks));
                println!(
                    "| {drift_name} | {tail_name} | {blocks} | {} | {} | {} | {} |",
                    percent(sliced.student),
                    percent(sliced.signed_rank),
                    percent(sliced.half_width),
                    percent(solo.half_width),
                );
            }
        }
    }
}

fn orders(repeats: usize, random: &mut Pcg64) {
    println!("\n## Two identical stacks called different at 95 %, ten runs each");
    println!("| drift | AAAA BBBB | ABAB | randomised blocks |");
    println!("| --- | --- | --- | --- |");
    let drifts = [
        ("still", Drift::Still),
        ("random walk, 1 % a run", Drift::Walk(0.01)),
        ("random walk, 3 % a run", Drift::Walk(0.03)),
        ("linear, 10 % over all", Drift::Linear(0.10)),
        ("linear, 20 % over all", Drift::Linear(0.20)),
    ];
    for (name, drift) in drifts {
        let bench = unsliced(&[0.0, 0.0], 0.03, drift);
        let mut of = |order| {
            percent(calibration::called_different(
                &bench, order, 10, repeats, random,
            ))
        };
        let (in_turn, alternating) = (of(Order::InTurn), of(Order::Alternating));
        println!(
            "| {name} | {in_turn} | {alternating} | {} |",
            of(Order::RandomBlocks)
        );
    }
    let gap = unsliced(&[0.0, 0.02], 0.03, Drift::Still);
    let wrong = calibration::best_of(&gap, 3, repeats, random);
    println!(
        "\nBest of three crowns the worse stack (gap 2 %, sd 3 %): {}",
        percent(wrong)
    );
}

fn bootstrap(repeats: usize, random: &mut Pcg64) {
    println!("\n## Coverage of Student's t and of the percentile bootstrap (1000 resamples)");
    println!("| blocks | t | bootstrap | t, heavy | bootstrap, heavy |");
    println!("| --- | --- | --- | --- | --- |");
    for blocks in [5, 6, 10, 20] {
        let mut row = format!("| {blocks} |");
        for (_, tail) in TAILS {
            let bench = Bench {
                tail,
                ..unsliced(&[0.0, 0.0], 0.03, Drift::Still)
            };
            let t = calibration::coverage(&bench, Order::SlicedBlocks, blocks, repeats, random);
            let other = calibration::bootstrap_coverage(&bench, blocks, 1_000, repeats, random);
            row += &format!(" {} | {} |", percent(t.student), percent(other));
        }
        println!("{row}");
    }
}

fn stopping(repeats: usize, random: &mut Pcg64) {
    println!("\n## Stopping when the half-width is at most 3 % twice in a row, at most 40 blocks");
    println!("| sd of the log ratio | at least | coverage | mean blocks |");
    println!("| --- | --- | --- | --- |");
    for sd in [0.03, 0.05, 0.07] {
        let bench = unsliced(&[0.0, 0.0], sd / std::f64::consts::SQRT_2, Drift::Still);
        for least in [6, 8] {
            let found = calibration::stopping(&bench, (least, 40), 0.03, repeats, random);
            println!(
                "| {} | {least} | {} | {:.1} |",
                percent(sd),
                percent(found.coverage),
                found.mean_blocks
            );
        }
    }
    let bench = unsliced(&[0.0, 0.0], 0.03, Drift::Still);
    let wrong = calibration::peeking(&bench, (5, 30), repeats, random);
    println!(
        "\nStopping at the first significant difference, blocks 5 to 30, two identical stacks: {}",
        percent(wrong)
    );
}

fn pairs(repeats: usize, random: &mut Pcg64) {
    println!(
        "\n## All pairs together at 95 %: share of runs in which every interval holds (mean half-width)"
    );
    println!("| treatments | blocks | noise | unadjusted | Bonferroni | Tukey |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (count, blocks) in [(4, 8), (4, 16), (8, 8), (8, 16)] {
        let range = studentised_range(count, (count - 1) * (blocks - 1), 100_000, random);
        for (name, noisiest) in [("alike", 1.0), ("one three times as noisy", 3.0)] {
            let mut bench = alike(count, Drift::Still, Tail::Normal);
            bench.treatments[0].start_sd *= noisiest;
            bench.treatments[0].slice_sd *= noisiest;
            let mut of = |adjustment| {
                let (held, width) = together(&bench, blocks, adjustment, repeats, random);
                format!("{} ({})", percent(held), percent(width))
            };
            let (plain, each) = (of(Together::Unadjusted), of(Together::Bonferroni));
            println!(
                "| {count} | {blocks} | {name} | {plain} | {each} | {} |",
                of(Together::Tukey(range))
            );
        }
    }
}

fn tails(repeats: usize, random: &mut Pcg64) {
    println!(
        "\n## Coverage of the leave-one-block-out interval of a p99 ratio ({repeats} comparisons)"
    );
    println!("| blocks | answers a block | sd of a start | coverage |");
    println!("| --- | --- | --- | --- |");
    for (blocks, samples) in [(8, 1_250), (12, 1_250), (20, 1_250)] {
        for start_sd in [0.0, 0.05, 0.2] {
            let found = tail::coverage(blocks, samples, start_sd, repeats, random);
            println!(
                "| {blocks} | {samples} | {} | {} |",
                percent(start_sd),
                percent(found)
            );
        }
    }
}

fn verdicts(repeats: usize, random: &mut Pcg64) {
    println!("\n## Words said of a planted difference ({repeats} runs each)");
    println!("Four stacks and a twin, 8 to 40 blocks, target 3 %, relevant difference 5 %.\n");
    println!(
        "| noise | planted | faster by at least | may be too small | equal | undecided | wrong | interval holds | promised too much | mean blocks | mean twin bound |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let design = planted::Design {
        min_blocks: 8,
        max_blocks: 40,
        target: 0.03,
        relevant_ratio: 0.05,
    };
    let noises = [
        ("low", 0.01, 0.03, Drift::Walk(0.02), Tail::Normal),
        ("middle", 0.02, 0.05, Drift::Walk(0.02), Tail::Normal),
        ("heavy", 0.02, 0.05, Drift::Walk(0.02), HEAVY),
    ];
    for (name, start_sd, slice_sd, drift, tail) in noises {
        for planted_ratio in [0.0, 0.03, 0.05, 0.10, 0.25] {
            let bench = planted::bench(planted_ratio, start_sd, slice_sd, drift, tail);
            let found = planted::outcomes(&bench, &design, repeats, random);
            let shares = [
                found.faster,
                found.may_be_too_small,
                found.equal,
                found.undecided,
                found.wrong,
                found.covered,
                found.promised_too_much,
            ];
            println!(
                "| {name} | {} | {} | {:.1} | {} |",
                percent(planted_ratio),
                shares.map(percent).join(" | "),
                found.mean_blocks,
                percent(found.mean_twin_bound_ratio)
            );
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}
