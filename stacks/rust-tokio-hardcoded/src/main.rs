//! Reads the settings, starts the runtime, serves until SIGTERM.

mod app;
mod hello;
mod settings;

use settings::Settings;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

fn main() -> anyhow::Result<()> {
    let settings = Settings::from_env()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(settings));
    runtime.shutdown_background();
    served
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    let listener = TcpListener::bind((settings.host.as_str(), settings.port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        accepted = app::accept(listener) => accepted,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}
