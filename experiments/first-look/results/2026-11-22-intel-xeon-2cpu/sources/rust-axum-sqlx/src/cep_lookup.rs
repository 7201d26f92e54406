//! `GET /api/v1/cep/{cep}`: the address of a postal code, from the database or else from ViaCEP.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header::RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use moka::future::Cache;
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, PgPool};

use crate::database::Failure;
use crate::viacep::ViaCep;

const SELECT: &str = "
    SELECT left(l.cep, 5) || '-' || right(l.cep, 3) AS cep, l.logradouro, l.complemento,
           b.nome AS bairro, c.nome AS cidade, e.uf, e.nome AS estado, c.ibge
    FROM logradouro AS l
    JOIN cidade AS c ON c.ibge = l.ibge
    JOIN estado AS e ON e.uf = c.uf
    LEFT JOIN bairro AS b ON b.id = l.id_bairro
    WHERE l.cep = $1";

// The update of a district that is there changes nothing: it makes the statement return its id.
const INSERT: &str = "
    WITH new_cidade AS (
        INSERT INTO cidade (ibge, nome, uf) VALUES ($5, $6, $7) ON CONFLICT (ibge) DO NOTHING
    ), new_bairro AS (
        INSERT INTO bairro (ibge, nome) SELECT $5, $4::text WHERE $4::text IS NOT NULL
        ON CONFLICT (ibge, nome) DO UPDATE SET nome = excluded.nome RETURNING id
    )
    INSERT INTO logradouro (cep, logradouro, complemento, ibge, id_bairro)
    VALUES ($1, $2, $3, $5, (SELECT id FROM new_bairro))
    ON CONFLICT (cep) DO NOTHING";

/// How long an answer of ViaCEP is remembered: that there is none, and one that could not be stored.
const REMEMBERED: Duration = Duration::from_secs(60);
const REMEMBERED_COUNT: u64 = 10_000;
/// Longest wait for an address to be stored.
const STORE_LIMIT: Duration = Duration::from_secs(1);
/// Seconds after which a client may try again.
const RETRY_AFTER_S: &str = "5";

/// Eight digits, given with or without a hyphen before the last three.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Cep(String);

impl TryFrom<String> for Cep {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = match text.as_bytes() {
            [_, _, _, _, _, b'-', _, _, _] => text.replacen('-', "", 1),
            _ => text,
        };
        if digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(digits))
        } else {
            Err("a CEP has eight digits, as 01001000 or 01001-000")
        }
    }
}

impl Cep {
    pub fn digits(&self) -> &str {
        &self.0
    }
}

#[derive(Clone, Debug, FromRow, Serialize)]
pub struct Address {
    pub cep: String,
    pub logradouro: Option<String>,
    pub complemento: Option<String>,
    pub bairro: Option<String>,
    pub cidade: String,
    pub uf: String,
    pub estado: String,
    pub ibge: String,
    #[sqlx(skip)]
    pub provider: Provider,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    #[default]
    Database,
    Viacep,
}

pub enum Refusal {
    Unknown,
    Unavailable,
    Failed(Failure),
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Refusal::Unknown => (StatusCode::NOT_FOUND, "no such CEP").into_response(),
            Refusal::Unavailable => {
                let retry = [(RETRY_AFTER, RETRY_AFTER_S)];
                (StatusCode::SERVICE_UNAVAILABLE, retry, "ViaCEP failed").into_response()
            }
            Refusal::Failed(failure) => failure.into_response(),
        }
    }
}

#[derive(Clone)]
pub struct Lookup {
    pool: PgPool,
    viacep: Arc<ViaCep>,
    recent: Cache<Cep, Option<Address>>,
}

impl Lookup {
    pub fn new(pool: PgPool, viacep: ViaCep) -> Self {
        Self {
            pool,
            viacep: Arc::new(viacep),
            recent: Cache::builder()
                .max_capacity(REMEMBERED_COUNT)
                .time_to_live(REMEMBERED)
                .build(),
        }
    }

    /// Asks ViaCEP once however many ask for the same CEP. Whoever goes away does not stop it for the others.
    async fn ask(self, cep: Cep) -> Result<Option<Address>, Refusal> {
        let asked = tokio::spawn(async move {
            let fetch = async {
                let address = self.viacep.address(&cep).await.inspect_err(|error| {
                    eprintln!("ViaCEP: {error:#}");
                })?;
                if let Some(address) = &address {
                    self.store(&cep, address).await;
                }
                anyhow::Ok(address)
            };
            self.recent.try_get_with_by_ref(&cep, fetch).await
        });
        match asked.await {
            Ok(Ok(address)) => Ok(address),
            Ok(Err(_)) | Err(_) => Err(Refusal::Unavailable),
        }
    }

    /// Stores an address for the next request. It is answered all the same when that fails.
    async fn store(&self, cep: &Cep, address: &Address) {
        let insert = sqlx::query(INSERT)
            .bind(cep.digits())
            .bind(&address.logradouro)
            .bind(&address.complemento)
            .bind(&address.bairro)
            .bind(&address.ibge)
            .bind(&address.cidade)
            .bind(&address.uf)
            .execute(&self.pool);
        match tokio::time::timeout(STORE_LIMIT, insert).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => eprintln!("{} is not stored: {error}", cep.digits()),
            Err(late) => eprintln!("{} is not stored: {late}", cep.digits()),
        }
    }
}

pub async fn answer(
    Path(cep): Path<Cep>,
    State(lookup): State<Lookup>,
) -> Result<Json<Address>, Refusal> {
    let stored = sqlx::query_as(SELECT)
        .bind(cep.digits())
        .fetch_optional(&lookup.pool)
        .await?;
    let address = match stored {
        Some(address) => Some(address),
        None => lookup.ask(cep).await?,
    };
    address.map(Json).ok_or(Refusal::Unknown)
}
