//! `GET /users/{user_id}`: one user by primary key.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use deadpool_postgres::Pool;
use serde::Deserialize;
use uuid::Uuid;

use crate::database::Failure;
use crate::users_list::{User, user};

const SELECT: &str = r#"SELECT user_id, username, email FROM "user" WHERE user_id = $1"#;

/// A UUID as the column spells it: in lower case, with hyphens.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub struct UserId(String);

impl TryFrom<String> for UserId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let as_stored =
            |id: Uuid| *id.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == *text;
        if Uuid::try_parse(&text).is_ok_and(as_stored) {
            Ok(Self(text))
        } else {
            Err("an id is a UUID in lower case, with hyphens")
        }
    }
}

pub async fn answer(
    Path(id): Path<UserId>,
    State(pool): State<Pool>,
) -> Result<Result<Json<User>, StatusCode>, Failure> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(SELECT).await?;
    let row = client.query_opt(&statement, &[&id.0]).await?;
    let user = row.as_ref().map(user).transpose()?;
    Ok(user.map(Json).ok_or(StatusCode::NOT_FOUND))
}
