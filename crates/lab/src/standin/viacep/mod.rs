//! ViaCEP, the public service that looks Brazilian postal codes (CEP) up: `GET /ws/{cep}/json/`.
//!
//! As observed of the real one: eight digits, with or without the hyphen; every field a string, empty where there is
//! nothing; a code that nobody has is a 200 with `erro`, which was `true` until 2022 and is `"true"` since, and both
//! are answered here; anything that is not a code is a 400 with a page.

mod address;

use serde_json::{Value, json};

use self::address::address;
use super::reply::{Meaning, Reply};

/// The answer to a request target.
pub(super) fn answer(target: &str) -> Reply {
    let path = target.split('?').next().unwrap_or(target);
    let asked = path.strip_prefix("/ws/").and_then(|rest| {
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        rest.strip_suffix("/json")
    });
    let Some(asked) = asked else {
        return Reply::page(404, "Not Found", Meaning::Malformed);
    };
    let Some(code) = code(asked) else {
        return Reply::page(400, "Bad Request", Meaning::Malformed);
    };
    match address(code) {
        Some(address) => document(&address.document(), Meaning::Found),
        None => document(&unknown(code), Meaning::Unknown),
    }
}

/// The number that eight digits are, with or without a hyphen before the last three.
fn code(asked: &str) -> Option<u32> {
    let digits = match asked.split_once('-') {
        Some((sector, suffix)) if (sector.len(), suffix.len()) == (5, 3) => {
            format!("{sector}{suffix}")
        }
        Some(_) => return None,
        None => asked.to_owned(),
    };
    let is_code = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| digits.parse().ok()).flatten()
}

/// Both spellings, each for half of the codes.
fn unknown(code: u32) -> Value {
    match code % 2 {
        0 => json!({ "erro": true }),
        _ => json!({ "erro": "true" }),
    }
}

fn document(value: &Value, meaning: Meaning) -> Reply {
    Reply {
        status: 200,
        content_type: "application/json; charset=utf-8",
        body: format!("{value:#}"),
        meaning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(target: &str) -> Value {
        let reply = answer(target);
        assert_eq!(reply.status, 200, "{target}");
        serde_json::from_str(&reply.body).unwrap()
    }

    #[test]
    fn a_known_code_has_the_fields_of_the_real_service_all_of_them_strings() {
        let body = body("/ws/01001000/json/");
        let fields: Vec<&str> = body
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let real = "cep logradouro complemento unidade bairro localidade uf estado regiao ibge gia ddd siafi";
        assert_eq!(fields.join(" "), real);
        assert!(body.as_object().unwrap().values().all(Value::is_string));
        assert_eq!(body["cep"], "01001-000");
        assert_eq!(body["ibge"], "3550308");
    }

    #[test]
    fn a_hyphen_and_a_missing_last_slash_change_nothing() {
        let plain = body("/ws/01001000/json/");
        assert_eq!(plain, body("/ws/01001-000/json/"));
        assert_eq!(plain, body("/ws/01001000/json"));
    }

    #[test]
    fn a_code_that_nobody_has_is_a_200_with_erro_in_both_spellings() {
        assert_eq!(body("/ws/99999998/json/"), json!({ "erro": true }));
        assert_eq!(body("/ws/99999999/json/"), json!({ "erro": "true" }));
    }

    #[test]
    fn what_is_not_a_code_is_a_400_and_no_json() {
        for asked in ["0100100", "010010000", "0100100a", "01-001000", "%20"] {
            let reply = answer(&format!("/ws/{asked}/json/"));
            assert_eq!(reply.status, 400, "{asked}");
            assert!(reply.content_type.starts_with("text/html"), "{asked}");
        }
        assert_eq!(answer("/ws/01001000/yaml/").status, 404);
    }
}
