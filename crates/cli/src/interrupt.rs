//! Ctrl-C and SIGTERM: the first asks for a clean end, the second does not wait.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that the first SIGINT or SIGTERM sets. The second ends the process at once, with 130; the guardian
/// then stops whatever it left running.
pub fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the shutdown is armed by a flag that the registration after it sets.
        flag::register_conditional_shutdown(
            signal,
            i32::from(crate::exit::INTERRUPTED),
            Arc::clone(&stop),
        )?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
