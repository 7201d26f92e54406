//! The method's error rates on a simulated bench: a small, seeded part of what the example `calibrate` prints.

use rand::SeedableRng;
use rand_pcg::Pcg64;
use stats::calibration::family::{Together, studentised_range, together};
use stats::calibration::{self, planted, tail};
use stats::simulate::{Bench, Drift, Order, Tail, Treatment};

const REPEATS: usize = 2_000;
const HEAVY: Tail = Tail::Heavy {
    share: 0.1,
    times: 5.0,
};

fn random() -> Pcg64 {
    Pcg64::seed_from_u64(20)
}

fn alike(count: usize, slices: usize, drift: Drift, tail: Tail) -> Bench {
    let treatment = Treatment {
        log_level: 0.0,
        start_sd: 0.02,
        slice_sd: 0.05,
    };
    Bench {
        treatments: vec![treatment; count],
        drift,
        tail,
        slices,
    }
}

fn switching() -> Drift {
    Drift::Switching {
        log_slowdown: std::f64::consts::LN_2,
        chance: 0.05,
    }
}

#[test]
fn intervals_of_a_stack_against_itself_cover_what_they_promise_under_drift_and_heavy_tails() {
    for drift in [Drift::Linear(0.2), Drift::Walk(0.02), switching()] {
        for tail in [Tail::Normal, HEAVY] {
            let bench = alike(2, 6, drift, tail);
            let found =
                calibration::coverage(&bench, Order::SlicedBlocks, 8, REPEATS, &mut random());
            assert!(
                (0.93..=0.975).contains(&found.student),
                "{drift:?} {tail:?} {found:?}"
            );
            assert!(
                (0.93..=0.98).contains(&found.signed_rank),
                "{drift:?} {tail:?} {found:?}"
            );
        }
    }
}

#[test]
fn on_a_machine_that_switches_speed_slices_are_far_sharper_than_solo_trials_of_the_same_length() {
    let bench = alike(2, 6, switching(), Tail::Normal);
    let width = |order| calibration::coverage(&bench, order, 12, 500, &mut random()).half_width;
    assert!(width(Order::SlicedBlocks) * 2.0 < width(Order::RandomBlocks));
}

#[test]
fn one_after_the_other_under_drift_calls_identical_stacks_different_and_random_blocks_do_not() {
    for drift in [Drift::Linear(0.1), Drift::Walk(0.02)] {
        let bench = alike(2, 1, drift, Tail::Normal);
        let called =
            |order| calibration::called_different(&bench, order, 10, REPEATS, &mut random());
        assert!(called(Order::InTurn) > 0.2, "{drift:?}");
        assert!(called(Order::RandomBlocks) < 0.07, "{drift:?}");
    }
}

#[test]
fn the_percentile_bootstrap_is_too_narrow_at_five_blocks() {
    let bench = alike(2, 1, Drift::Still, Tail::Normal);
    let found = calibration::bootstrap_coverage(&bench, 5, 200, REPEATS, &mut random());
    assert!(found < 0.88, "{found}");
}

#[test]
fn stopping_by_precision_keeps_coverage_and_peeking_for_significance_loses_it() {
    let bench = alike(2, 6, Drift::Still, Tail::Normal);
    let found = calibration::stopping(&bench, (8, 40), 0.03, REPEATS, &mut random());
    assert!(found.coverage > 0.92, "{found:?}");
    assert!(
        found.mean_blocks > 8.0 && found.mean_blocks < 16.0,
        "{found:?}"
    );
    let wrong = calibration::peeking(&bench, (5, 30), REPEATS, &mut random());
    assert!(wrong > 0.15, "{wrong}");
}

#[test]
fn all_pairs_hold_together_even_where_one_stack_is_noisier_and_tukey_does_not() {
    let mut bench = alike(6, 2, Drift::Still, Tail::Normal);
    bench.treatments[0].start_sd *= 3.0;
    bench.treatments[0].slice_sd *= 3.0;
    let range = studentised_range(6, 5 * 7, 20_000, &mut random());
    // Table value: 4.197 for six means and 35 degrees.
    assert!((range - 4.197).abs() < 0.08, "{range}");
    let held = |adjustment| together(&bench, 8, adjustment, REPEATS, &mut random()).0;
    assert!(held(Together::Bonferroni) > 0.94);
    assert!(held(Together::Tukey(range)) < 0.92);
    assert!(held(Together::Unadjusted) < 0.80);
}

#[test]
fn the_interval_of_a_merged_p99_covers_what_it_promises() {
    let found = tail::coverage(8, 1_250, 0.05, 300, &mut random());
    assert!((0.90..=0.99).contains(&found), "{found}");
}

#[test]
fn planted_differences_get_the_words_they_deserve() {
    let design = planted::Design {
        min_blocks: 8,
        max_blocks: 40,
        target: 0.03,
        relevant_ratio: 0.05,
    };
    let outcome = |ratio| {
        let bench = planted::bench(ratio, 0.02, 0.05, Drift::Walk(0.02), Tail::Normal);
        let found = planted::outcomes(&bench, &design, 100, &mut random());
        assert!(found.covered >= 0.95, "{ratio}: {found:?}");
        assert!(found.promised_too_much <= 0.05, "{ratio}: {found:?}");
        assert!(found.wrong <= 0.01, "{ratio}: {found:?}");
        found
    };
    assert!(outcome(0.0).equal > 0.85);
    let none_equal = outcome(0.10);
    assert!(
        none_equal.equal == 0.0 && none_equal.faster > 0.9,
        "{none_equal:?}"
    );
    assert!(outcome(0.25).faster > 0.999);
}
