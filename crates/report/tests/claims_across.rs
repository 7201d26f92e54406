//! Claims that hold one treatment at two levels against each other, or one ratio against another.

mod fixture;

use fixture::article::{article, claim, with_claims};
use report::ClaimVerdict;
use serde_json::json;

#[test]
fn a_claim_between_two_levels_of_one_treatment_is_judged_block_by_block() {
    let between = |level: Option<&str>, against_level: Option<&str>, published: f64| {
        let claims = json!({"published": [], "claim": [
            {"id": "1", "quote": "It degrades.", "metric": "completion_rate_per_s", "level": level,
             "treatment": "quick", "against_level": against_level, "published_ratio": published}
        ]});
        with_claims(article(), &claims).claims.remove(0)
    };
    let down = between(None, Some("c10"), 1.0);
    let tested = down.as_published.as_ref().unwrap();
    assert_eq!(tested.treatment, tested.against);
    for place in [" at the main slices", " at c10"] {
        assert!(tested.sentence.contains(place), "{}", tested.sentence);
    }
    let measured = tested.ratio.ratio;
    assert_eq!(
        between(None, Some("c10"), measured).verdict,
        ClaimVerdict::Reproduced
    );
    assert_eq!(
        between(None, Some("c10"), 1.0 / measured).verdict,
        ClaimVerdict::Contradicted
    );
    match between(None, Some("c77"), 2.0).verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => {
            assert!(reason.contains("not measured at c77"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_claim_about_two_ratios_is_judged_by_their_quotient() {
    let claims = json!({"published": [], "claim": [
        {"id": "here", "quote": "", "metric": "completion_rate_per_s", "treatment": "quick", "against": "slow"},
        {"id": "there", "quote": "", "metric": "completion_rate_per_s", "level": "c10", "treatment": "quick", "against": "slow"},
        {"id": "both", "quote": "", "metric": "completion_rate_per_s", "treatment": "quick", "against": "slow",
         "beside_level": "c10", "published_ratio": 1.0},
        {"id": "turned", "quote": "", "metric": "completion_rate_per_s", "treatment": "quick", "against": "slow",
         "beside_treatment": "slow", "beside_against": "quick"},
    ]});
    let findings = with_claims(article(), &claims);
    let tested = |id: &str| claim(&findings, id).as_published.clone().unwrap();
    let ratio = |id: &str| tested(id).ratio.ratio;
    let quotient = ratio("here") / ratio("there");
    assert!((ratio("both") / quotient - 1.0).abs() < 1e-9);
    assert!((ratio("turned") / ratio("here").powi(2) - 1.0).abs() < 1e-9);
    // Without a size it says that the first ratio is the larger.
    assert_eq!(claim(&findings, "turned").verdict, ClaimVerdict::Reproduced);
    let beside = claim(&findings, "both").beside.as_ref().unwrap();
    assert_eq!(
        (
            beside.treatment.as_str(),
            beside.against.as_str(),
            beside.level.as_deref()
        ),
        ("quick", "slow", Some("c10"))
    );
    let sentence = tested("turned").sentence;
    assert!(sentence.contains("is larger than that of"), "{sentence}");
}
