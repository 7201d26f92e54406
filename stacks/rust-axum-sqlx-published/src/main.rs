//! Serves until SIGTERM, which ends the process at once.

mod app;
mod cep_lookup;
mod database;
mod settings;
mod viacep;

use settings::Settings;
use tokio::net::TcpListener;

fn main() -> anyhow::Result<()> {
    // Before any thread: it changes the environment of the process.
    dotenvy::dotenv().ok();
    let settings = Settings::from_env()?;
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()?
        .block_on(serve(settings))
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    tracing_subscriber::fmt().init();
    let pool = database::connect(&settings).await?;
    let listener = TcpListener::bind((settings.host.as_str(), settings.port)).await?;
    axum::serve(listener, app::router(pool)).await?;
    Ok(())
}
