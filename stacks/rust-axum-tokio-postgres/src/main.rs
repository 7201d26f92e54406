//! Reads the settings, starts the runtime, serves until SIGTERM.

mod app;
mod cep_lookup;
mod database;
mod fibonacci;
mod hello;
mod json_echo;
mod json_large;
mod movies_list;
mod select_one;
mod settings;
mod users_list;
mod users_one;
mod viacep;
mod wait;

use std::time::Duration;

use axum::serve::ListenerExt;
use settings::Settings;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use viacep::ViaCep;

fn main() -> anyhow::Result<()> {
    let settings = Settings::from_env()?;
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()?
        .block_on(serve(settings))
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    if settings.log_requests {
        tracing_subscriber::fmt().init();
    }
    let pool = match &settings.database {
        Some(database) => Some(database::connect(database).await?),
        None => None,
    };
    let viacep = settings
        .viacep_url
        .as_deref()
        .map(ViaCep::new)
        .transpose()?;
    let app = app::router(pool, viacep, settings.log_requests);
    let listener = TcpListener::bind((settings.host.as_str(), settings.port))
        .await?
        .tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });

    let server = axum::serve(listener, app).with_graceful_shutdown(terminated());
    tokio::select! {
        served = server => served?,
        // A client that never finishes its request must not keep the service alive.
        () = async { terminated().await; tokio::time::sleep(Duration::from_secs(1)).await } => {}
    }
    Ok(())
}

async fn terminated() {
    let mut terminate = signal(SignalKind::terminate()).expect("the runtime's signal driver is on");
    let mut interrupt = signal(SignalKind::interrupt()).expect("the runtime's signal driver is on");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
