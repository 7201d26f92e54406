//! A client of ViaCEP, made for one call.

use std::env;

use anyhow::Context;
use reqwest::Client;
use serde::Deserialize;
use serde_json::Value;

use crate::cep_lookup::Address;

pub struct ViaCep {
    client: Client,
}

#[derive(Deserialize)]
struct Record {
    cep: String,
    logradouro: String,
    bairro: String,
    localidade: String,
    uf: String,
}

impl ViaCep {
    pub fn new() -> Self {
        Self {
            client: Client::new(),
        }
    }

    pub async fn address(&self, cep: &str) -> anyhow::Result<Option<Address>> {
        let url = env::var("VIACEP_URL").context("VIACEP_URL")?;
        let url = format!("{}/ws/{cep}/json/", url.trim_end_matches('/'));
        let response = self.client.get(url).send().await?.error_for_status()?;
        let body: Value = response.json().await?;
        if body.get("erro").is_some() {
            return Ok(None);
        }
        let record: Record = serde_json::from_value(body)?;
        Ok(Some(Address {
            cep: record.cep.replace('-', ""),
            logradouro: record.logradouro,
            bairro: record.bairro,
            cidade: record.localidade,
            estado: record.uf,
            created_at: None,
            provider: "viacep".to_owned(),
        }))
    }
}
