//! `GET /users/{user_id}`: one user by primary key.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use sqlx::PgPool;
use uuid::Uuid;

use crate::database::Failure;
use crate::users_list::User;

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
    State(pool): State<PgPool>,
) -> Result<Result<Json<User>, StatusCode>, Failure> {
    let user = sqlx::query_as(SELECT)
        .bind(id.0)
        .fetch_optional(&pool)
        .await?;
    Ok(user.map(Json).ok_or(StatusCode::NOT_FOUND))
}
