//! One file an accountant: pure functions from events to ε.
#[allow(dead_code, reason = "its caller is the account")]
pub(super) mod pld;
