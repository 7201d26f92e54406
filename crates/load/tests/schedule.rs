//! Laws of the schedule, over rates and shares of every kind.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::time::Duration;

use load::schedule::{Schedule, Turn, all_at_once, ramp, staged};
use load::{Arrivals, Rate, Share, Stage};
use proptest::prelude::*;

fn stage(most: f64) -> impl Strategy<Value = Stage> {
    // From nothing and to nothing, too: there the arithmetic has its edges.
    let level = move || prop_oneof![1 => Just(0.0), 3 => 0.0..most];
    (level(), level(), 10_u64..3_000, any::<bool>()).prop_map(|(from, to, ms, flat)| Stage {
        from,
        to: if flat { from } else { to },
        duration: Duration::from_millis(ms),
    })
}

fn rate(arrivals: Arrivals) -> impl Strategy<Value = Rate> {
    prop::collection::vec(stage(2_000.0), 1..5)
        .prop_map(move |stages| Rate::staged(stages, arrivals))
}

fn arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![Just(Arrivals::Constant), Just(Arrivals::Poisson)]
}

fn length(rate: &Rate) -> Duration {
    rate.stages.iter().map(|stage| stage.duration).sum()
}

fn all(rate: &Rate, share: Share, seed: u64) -> Vec<(u64, u64)> {
    let schedule = Schedule::new(rate, share, length(rate), seed);
    schedule
        .map(|arrival| (arrival.index, arrival.at_ns))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_kth_arrival_solves_the_rate_integral(rate in rate(Arrivals::Constant)) {
        let due = all(&rate, Share::WHOLE, 1);
        let most = rate.stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max);
        for &(index, at_ns) in &due {
            let expected = rate.integral(Duration::from_nanos(at_ns));
            // An instant is rounded to a nanosecond, in which at most `most` × 1 ns arrive; the
            // rest is what double precision leaves where the rate is nearly 0.
            prop_assert!((expected - index as f64).abs() < most * 2e-9 + 1e-6, "{index}: {expected}");
        }
        let total = rate.integral(length(&rate));
        prop_assert!((due.len() as f64 - total.ceil()).abs() <= 1.0, "{} of {total}", due.len());
    }

    #[test]
    fn arrivals_are_in_order_and_inside_the_duration(
        rate in arrivals().prop_flat_map(rate),
        seed in any::<u64>(),
    ) {
        let due = all(&rate, Share::WHOLE, seed);
        prop_assert!(due.is_sorted());
        prop_assert!(due.iter().all(|&(_, at_ns)| u128::from(at_ns) < length(&rate).as_nanos()));
    }

    #[test]
    fn shares_unite_to_the_whole(
        rate in arrivals().prop_flat_map(rate),
        of in 1_u32..6,
        seed in any::<u64>(),
    ) {
        let whole = all(&rate, Share::WHOLE, seed);
        let mut united: Vec<_> =
            (0..of).flat_map(|index| all(&rate, Share { index, of }, seed)).collect();
        united.sort_unstable();
        prop_assert_eq!(united, whole);
    }

    #[test]
    fn shares_of_a_count_add_up_to_it(total in any::<u64>(), of in 1_u32..9) {
        let shares = (0..of).map(|index| u128::from(Share { index, of }.count(total)));
        prop_assert_eq!(shares.sum::<u128>(), u128::from(total));
    }

    #[test]
    fn as_many_connections_work_as_the_stages_say(
        stages in prop::collection::vec(stage(40.0), 1..5),
        of in 1_u32..4,
        at in 0.0_f64..1.0,
    ) {
        let rate = Rate::staged(stages.clone(), Arrivals::Constant);
        let at_s = at * length(&rate).as_secs_f64();
        let level = level_at(&stages, at_s);
        // Too near to a whole number, rounding of the instant decides.
        prop_assume!((level - level.round()).abs() > 1e-6);
        let working: usize = (0..of)
            .map(|index| working_at(&staged(&stages, Share { index, of }), at_s))
            .sum();
        prop_assert_eq!(working, level.floor() as usize);
    }

    #[test]
    fn users_begin_evenly_over_the_ramp(users in 1_u32..200, ms in 0_u64..10_000, of in 1_u32..4) {
        let over = Duration::from_millis(ms);
        let shares = (0..of).flat_map(|index| ramp(users, over, Share { index, of }));
        let mut starts: Vec<u64> = shares.map(|turn| turn.at_ns).collect();
        starts.sort_unstable();
        let even = (0..u64::from(users)).map(|user| ms * 1_000_000 * user / u64::from(users));
        prop_assert_eq!(starts, even.collect::<Vec<_>>());
    }
}

/// Connections at work after the turns until then were carried out in their order.
fn working_at(turns: &[Turn], at_s: f64) -> usize {
    let mut working = BTreeSet::new();
    for turn in turns.iter().filter(|turn| turn.at_ns as f64 <= at_s * 1e9) {
        if turn.begins {
            working.insert(turn.place);
        } else {
            working.remove(&turn.place);
        }
    }
    working.len()
}

fn level_at(stages: &[Stage], at_s: f64) -> f64 {
    let mut left = at_s;
    for stage in stages {
        let length = stage.duration.as_secs_f64();
        if left < length {
            return stage.from + (stage.to - stage.from) * left / length;
        }
        left -= length;
    }
    0.0
}

#[test]
fn a_constant_rate_is_a_grid() {
    let schedule = Schedule::new(
        &Rate::constant(3.0),
        Share::WHOLE,
        Duration::from_secs(2),
        1,
    );
    let due: Vec<u64> = schedule.map(|arrival| arrival.at_ns).collect();
    let grid = [
        0,
        333_333_333,
        666_666_667,
        1_000_000_000,
        1_333_333_333,
        1_666_666_667,
    ];
    assert_eq!(due, grid);
}

#[test]
fn an_arrival_on_the_foot_of_a_ramp_is_due_there() {
    let second = Duration::from_secs(1);
    let side = |from, to| Stage {
        from,
        to,
        duration: second,
    };
    for before in [
        vec![Stage::constant(100.0, second)],
        vec![side(200.0, 0.0)],
        vec![side(0.0, 100.0), side(100.0, 0.0)],
    ] {
        let foot_ns = before.len() as u64 * 1_000_000_000;
        let rate = Rate::staged(
            [before, vec![side(0.0, 500.0)]].concat(),
            Arrivals::Constant,
        );
        let due = all(&rate, Share::WHOLE, 1);
        assert_eq!(due[100], (100, foot_ns));
        assert_eq!(due.len(), 350);
        assert!(due.is_sorted());
    }
}

#[test]
fn a_long_schedule_does_not_drift() {
    let last = Schedule::new(
        &Rate::constant(7_777.0),
        Share::WHOLE,
        Duration::from_secs(600),
        1,
    )
    .last()
    .unwrap();
    let exact = last.index as f64 / 7_777.0 * 1e9;
    assert!((last.at_ns as f64 - exact).abs() <= 1.0);
    assert_eq!(last.index, 7_777 * 600 - 1);
}

#[test]
fn gaps_of_poisson_arrivals_are_exponential() {
    let rate = Rate::poisson(1_000.0);
    let due: Vec<u64> = Schedule::new(&rate, Share::WHOLE, Duration::from_secs(200), 7)
        .map(|arrival| arrival.at_ns)
        .collect();
    let n = due.len() as f64;
    assert!((n - 200_000.0).abs() < 4.0 * 200_000_f64.sqrt(), "{n}");
    let mut gaps: Vec<f64> = due
        .windows(2)
        .map(|two| (two[1] - two[0]) as f64 / 1e6)
        .collect();
    gaps.sort_by(f64::total_cmp);
    // Kolmogorov-Smirnov against 1 − exp(−t), t in milliseconds; 1.63/√n is the 1 % point.
    let distance = gaps
        .iter()
        .zip(0..)
        .map(|(gap, place)| (1.0 - (-gap).exp() - f64::from(place) / n).abs())
        .fold(0.0, f64::max);
    assert!(distance < 1.63 / n.sqrt(), "{distance}");
}

#[test]
fn all_connections_begin_at_once() {
    let begins = |place| Turn {
        at_ns: 0,
        place,
        begins: true,
    };
    assert_eq!(
        all_at_once(3, Share::WHOLE),
        [begins(0), begins(1), begins(2)]
    );
}

#[test]
fn a_connection_that_peaks_where_two_stages_meet_is_switched_off_again() {
    let triangle = load::notation::stages("1..5:10s,5..1:10s").unwrap();
    let turns = staged(&triangle, Share::WHOLE);
    assert_eq!(working_at(&turns, 9.0), 4);
    assert_eq!(
        working_at(&turns, 10.0),
        4,
        "the fifth has no time of its own"
    );
    assert_eq!(working_at(&turns, 13.0), 3);
    assert_eq!(working_at(&turns, 19.0), 1);
    assert_eq!(working_at(&turns, 20.0), 0);
    let step = load::notation::stages("1..5:10s,2:10s").unwrap();
    assert_eq!(working_at(&staged(&step, Share::WHOLE), 15.0), 2);
}
