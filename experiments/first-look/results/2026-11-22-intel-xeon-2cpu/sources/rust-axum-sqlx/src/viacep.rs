//! The client of ViaCEP, one for the process.

use std::time::Duration;

use anyhow::{Context, ensure};
use reqwest::Client;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::cep_lookup::{Address, Cep, Provider};

const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// Of a whole call, waiting for its turn included.
const CALL_LIMIT: Duration = Duration::from_secs(3);
const CALLS_AT_ONCE: usize = 32;

pub struct ViaCep {
    client: Client,
    url: String,
    turns: Semaphore,
}

#[derive(Deserialize)]
struct Record {
    cep: String,
    logradouro: String,
    complemento: String,
    bairro: String,
    localidade: String,
    uf: String,
    estado: String,
    ibge: String,
}

impl ViaCep {
    pub fn new(url: &str) -> anyhow::Result<Self> {
        let client = Client::builder()
            .connect_timeout(CONNECT_LIMIT)
            .timeout(CALL_LIMIT)
            .build()?;
        Ok(Self {
            client,
            url: url.trim_end_matches('/').to_owned(),
            turns: Semaphore::new(CALLS_AT_ONCE),
        })
    }

    /// The address of a CEP, or that there is none. Whatever else comes back is an error, never "none".
    pub async fn address(&self, cep: &Cep) -> anyhow::Result<Option<Address>> {
        tokio::time::timeout(CALL_LIMIT, self.call(cep))
            .await
            .context("no answer in time")?
    }

    async fn call(&self, cep: &Cep) -> anyhow::Result<Option<Address>> {
        let _turn = self.turns.acquire().await?;
        let url = format!("{}/ws/{}/json/", self.url, cep.digits());
        let response = self.client.get(url).send().await?.error_for_status()?;
        let body: Value = response.json().await?;
        // Documented as true; since 2022 it has been "true".
        if body["erro"] == true || body["erro"] == "true" {
            return Ok(None);
        }
        let record: Record = serde_json::from_value(body)?;
        ensure!(
            record.cep.replace('-', "") == cep.digits(),
            "asked for {}, answered {}",
            cep.digits(),
            record.cep
        );
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Some(Address {
            cep: record.cep,
            logradouro: given(record.logradouro),
            complemento: given(record.complemento),
            bairro: given(record.bairro),
            cidade: record.localidade,
            uf: record.uf,
            estado: record.estado,
            ibge: record.ibge,
            provider: Provider::Viacep,
        }))
    }
}
