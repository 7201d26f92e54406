//! Reads the settings, starts the runtime, serves until SIGTERM.

mod app;
mod fibonacci;
mod hello;
mod json_echo;
mod json_large;
mod settings;
mod wait;

use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use settings::Settings;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

fn main() -> anyhow::Result<()> {
    let settings = Settings::from_env()?;
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()?
        .block_on(serve(settings))
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    let listener = TcpListener::bind((settings.host.as_str(), settings.port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let connections = GracefulShutdown::new();
    let answer = service_fn(move |request| app::answer(request, settings.log_requests));

    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
        };
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), answer);
        tokio::spawn(connections.watch(connection));
    }
    // A client that never finishes its request must not keep the service alive.
    let _ = tokio::time::timeout(Duration::from_secs(1), connections.shutdown()).await;
    Ok(())
}
