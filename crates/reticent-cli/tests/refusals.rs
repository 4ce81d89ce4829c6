//! Nonsense is refused: exit code 2, the reason on standard error, nothing on standard
//! output.

mod run;

use run::{event_refused, refused};

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    event_refused(
        "gaussion:noise=1",
        &["gaussion", "exponential", "did you mean gaussian?"],
    );
    event_refused("wavelet:epsilon=1", &["wavelet", "pure", "zcdp"]);
    event_refused(
        "gaussian:nois=1",
        &["nois", "noise, count", "did you mean noise?"],
    );
    event_refused("exponential:noise=1", &["noise", "allowed: range, count"]);
    event_refused(
        "subsampled-gaussian:noise=1,rate=0.1,sampling=shuffled",
        &["shuffled", "poisson, without-replacement"],
    );
    refused(
        "account --delta 1e-6 --event pure:epsilon=1 --adjacency swap",
        &["swap", "replace-one", "add-remove"],
    );
    refused(
        "account --delta 1e-6 --event pure:epsilon=1 --accountant moments",
        &["moments", "basic, zcdp, gaussian, rdp, pld"],
    );
    refused("account --delta 1e-6 --evnt pure:epsilon=1", &["--event"]);
    refused("acount", &["account"]);
}

#[test]
fn a_malformed_event_is_refused_with_the_way_to_write_it() {
    event_refused("gaussian:noise=1,", &["missing", "noise, count"]);
    event_refused("gaussian:", &["missing", "noise, count"]);
    event_refused("gaussian:,noise=1", &["missing", "noise, count"]);
    event_refused("gaussian:noise", &["'noise' has no value", "noise=..."]);
    event_refused("gaussian:noise=", &["'noise' has no value"]);
    event_refused("gaussian:noise=1,noise=2", &["noise", "twice", "1", "2"]);
    event_refused("gaussian:count=2,count=2", &["count", "twice"]);
    event_refused("exponential", &["exponential needs range=..."]);
    event_refused("pure:count=3", &["pure needs epsilon=..."]);
    event_refused("zcdp:count=3", &["zcdp needs rho=..."]);
    event_refused(
        "subsampled-gaussian:noise=1,sampling=poisson",
        &["needs rate"],
    );
    event_refused(
        "subsampled-gaussian:noise=1,rate=0.1",
        &["needs sampling=..."],
    );
}

#[test]
fn a_number_that_makes_no_sense_is_refused_with_what_does() {
    for bad in ["nan", "inf", "-1", "0", "1e-7", "1e13"] {
        event_refused(
            &format!("gaussian:noise={bad}"),
            &["noise is", "between 1e-6 and 1e12"],
        );
    }
    for bad in ["nan", "inf", "-1", "0"] {
        event_refused(
            &format!("exponential:range={bad}"),
            &["range is", "above 0"],
        );
        event_refused(&format!("pure:epsilon={bad}"), &["epsilon is", "above 0"]);
        event_refused(&format!("zcdp:rho={bad}"), &["rho is", "above 0"]);
    }
    for bad in ["nan", "0", "-0.1", "1.1"] {
        let event = format!("subsampled-gaussian:noise=1,rate={bad},sampling=poisson");
        event_refused(&event, &["rate is", "above 0 and at most 1"]);
    }
    event_refused("gaussian:noise=1,count=0", &["count is 0", "at least 1"]);
    for bad in ["-3", "1.5", "nan", "inf", "1e30", "many"] {
        event_refused(
            &format!("gaussian:noise=1,count={bad}"),
            &["count is", bad, "whole number from 1"],
        );
    }
    event_refused("gaussian:noise=loud", &["'loud' is not a number"]);
    for bad in ["nan", "0", "1", "-1e-6", "2", "inf"] {
        refused(
            &format!("account --event gaussian:noise=1 --delta {bad}"),
            &["delta is", "above 0 and below 1"],
        );
    }
    for bad in ["nan", "0", "-1", "inf"] {
        refused(
            &format!("account --event gaussian --delta 1e-6 --solve noise --epsilon {bad}"),
            &["epsilon is", "a finite number above 0"],
        );
    }
}

#[test]
fn what_is_missing_is_named() {
    refused("account --event gaussian:noise=1", &["--delta"]);
    refused("account --delta 1e-6", &["--event"]);
    refused("", &["Usage: reticent <COMMAND>"]);
}

#[test]
fn a_noise_is_given_or_sought_never_both_nor_neither() {
    event_refused(
        "gaussian:count=3",
        &["no noise", "noise=...", "--solve noise --epsilon E"],
    );
    event_refused(
        "pure:epsilon=1 --event gaussian:count=5 --event gaussian:noise=3",
        &[
            "--event gaussian:count=5 has no noise",
            "add noise=... to it",
        ],
    );
    event_refused(
        "gaussian:count=5 --event gaussian:count=6",
        &["--event gaussian:count=5 and --event gaussian:count=6 have no noise"],
    );
    event_refused("gaussian --epsilon 1", &["--solve"]);
    event_refused("gaussian --solve noise", &["--epsilon"]);
    event_refused(
        "gaussian:noise=1 --epsilon 1",
        &[
            "--epsilon 1",
            "tip: --epsilon is the budget for --solve noise",
        ],
    );
    event_refused(
        "gaussian:noise=1 --epsilon 1 --solve noise",
        &["--epsilon 1", "nothing to find", "leave noise= out"],
    );
    event_refused("gaussian --epsilon 1 --solve delta", &["delta", "noise"]);
    event_refused(
        "gaussian --epsilon 1 --solve noise --accountant rdp",
        &["--solve", "--accountant"],
    );
}

#[test]
fn an_adjacency_that_the_sampling_does_not_allow_is_refused_with_a_remedy() {
    event_refused(
        "subsampled-gaussian:noise=1,rate=0.1,sampling=poisson --adjacency replace-one",
        &[
            "--adjacency replace-one",
            "add-remove only",
            "tip: use --adjacency add-remove",
        ],
    );
    event_refused(
        "subsampled-gaussian:noise=1,rate=0.1,sampling=without-replacement --adjacency add-remove",
        &[
            "--adjacency add-remove",
            "replace-one only",
            "tip: use --adjacency replace-one",
        ],
    );
    for adjacency in ["", " --adjacency replace-one", " --adjacency add-remove"] {
        event_refused(
            &format!(
                "subsampled-gaussian:noise=1,rate=0.1,sampling=poisson \
                 --event subsampled-gaussian:noise=1,rate=0.1,sampling=without-replacement{adjacency}"
            ),
            &["both", "poisson", "without-replacement", "one kind"],
        );
    }
    event_refused(
        "subsampled-gaussian:rate=0.1,sampling=poisson --adjacency replace-one \
         --solve noise --epsilon 1",
        &["add-remove only"],
    );
}

#[test]
fn an_accountant_that_does_not_cover_the_events_is_refused_with_those_that_do() {
    event_refused(
        "gaussian:noise=1 --accountant basic",
        &["--accountant basic does not cover gaussian; zcdp, gaussian, rdp and pld do"],
    );
    event_refused(
        "exponential:range=1 --accountant gaussian",
        &["--accountant gaussian does not cover exponential; basic, zcdp, rdp and pld do"],
    );
    let sampled = "subsampled-gaussian:noise=1,rate=0.1,sampling=poisson";
    event_refused(
        &format!("{sampled} --event {sampled} --event gaussian:noise=1 --accountant zcdp"),
        &["--accountant zcdp does not cover subsampled-gaussian; rdp and pld do"],
    );
    event_refused(
        &format!("{sampled} --event zcdp:rho=1 --accountant pld"),
        &["--accountant pld does not cover zcdp; rdp does"],
    );
}

#[test]
fn a_budget_that_no_noise_can_meet_is_refused_with_what_the_rest_costs() {
    event_refused(
        "gaussian --event pure:epsilon=3 --epsilon 1 --solve noise",
        &["no noise is enough", "--epsilon 1", "already cost", "tip:"],
    );
}

#[test]
fn a_total_that_no_accountant_bounds_is_refused() {
    event_refused(
        "pure:epsilon=1e308,count=1e9",
        &["finite epsilon", "more noise or fewer releases"],
    );
}
