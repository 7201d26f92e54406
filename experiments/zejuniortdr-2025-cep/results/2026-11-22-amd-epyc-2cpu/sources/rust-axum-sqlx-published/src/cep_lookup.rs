//! `GET /api/v1/cep/{cep}`: the address of a postal code, from the database or else from ViaCEP.

use std::env;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use sqlx::{FromRow, PgPool};

use crate::viacep::ViaCep;

const SELECT: &str = "
    SELECT l.cep, COALESCE(l.logradouro, '') AS logradouro, COALESCE(b.nome, '') AS bairro,
           c.nome AS cidade, e.sigla AS estado, l.created_at, 'database' AS provider
    FROM logradouro l
    INNER JOIN cidade c ON l.id_cidade = c.id
    INNER JOIN estado e ON c.id_estado = e.id
    LEFT JOIN bairro b ON l.id_bairro = b.id
    WHERE l.cep = $1";

// An update of what is there changes nothing: it makes the statement return its id.
const INSERT: &str = "
    WITH new_cidade AS (
        INSERT INTO cidade (nome, id_estado) SELECT $4, id FROM estado WHERE sigla = $5
        ON CONFLICT (id_estado, nome) DO UPDATE SET nome = excluded.nome RETURNING id
    ), new_bairro AS (
        INSERT INTO bairro (nome, id_cidade) SELECT $3, id FROM new_cidade WHERE $3 <> ''
        ON CONFLICT (id_cidade, nome) DO UPDATE SET nome = excluded.nome RETURNING id
    )
    INSERT INTO logradouro (cep, logradouro, id_cidade, id_bairro)
    SELECT $1, $2, id, (SELECT id FROM new_bairro) FROM new_cidade
    ON CONFLICT (cep) DO NOTHING";

#[derive(FromRow, Serialize)]
pub struct Address {
    pub cep: String,
    pub logradouro: String,
    pub bairro: String,
    pub cidade: String,
    pub estado: String,
    /// Absent from what ViaCEP says.
    pub created_at: Option<DateTime<Utc>>,
    pub provider: String,
}

pub async fn answer(Path(cep): Path<String>, State(pool): State<PgPool>) -> Response {
    // The file is found and read, and the environment searched, for every request.
    dotenvy::dotenv().ok();
    let Some(cep) = eight_digits(&cep) else {
        return refusal(StatusCode::BAD_REQUEST, "CEP inválido");
    };
    let asks_viacep = env::var("SEARCH_ZIPCODE_ON_VIACEP")
        .unwrap_or_else(|_| "false".to_owned())
        .to_lowercase()
        == "true";
    match search(&pool, &cep, asks_viacep).await {
        Ok(Some(address)) => Json(address).into_response(),
        Ok(None) => refusal(StatusCode::NOT_FOUND, "CEP não encontrado"),
        Err(error) => {
            tracing::error!("cannot look {cep} up: {error}");
            refusal(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Erro ao consultar banco de dados",
            )
        }
    }
}

fn eight_digits(cep: &str) -> Option<String> {
    let digits = cep.replace('-', "");
    (digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

fn refusal(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "error": reason }))).into_response()
}

async fn search(pool: &PgPool, cep: &str, asks_viacep: bool) -> sqlx::Result<Option<Address>> {
    let stored: Option<Address> = sqlx::query_as(SELECT)
        .bind(cep)
        .fetch_optional(pool)
        .await?;
    if stored.is_some() {
        tracing::info!("{cep} is in the database");
        return Ok(stored);
    }
    tracing::info!("{cep} is not in the database");
    Ok(if asks_viacep {
        fetch(pool, cep).await
    } else {
        None
    })
}

/// Whatever fails at ViaCEP, the CEP counts as not found.
async fn fetch(pool: &PgPool, cep: &str) -> Option<Address> {
    let client = ViaCep::new();
    match client.address(cep).await {
        Ok(Some(address)) => {
            tracing::info!("ViaCEP has {cep}");
            store(pool, &address).await;
            Some(address)
        }
        Ok(None) => {
            tracing::warn!("ViaCEP does not have {cep}");
            None
        }
        Err(error) => {
            tracing::warn!("ViaCEP failed on {cep}: {error:#}");
            None
        }
    }
}

async fn store(pool: &PgPool, address: &Address) {
    let stored = sqlx::query(INSERT)
        .bind(&address.cep)
        .bind(&address.logradouro)
        .bind(&address.bairro)
        .bind(&address.cidade)
        .bind(&address.estado)
        .execute(pool)
        .await;
    if let Err(error) = stored {
        tracing::error!("{} is not stored: {error}", address.cep);
    }
}
