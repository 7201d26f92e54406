//! A workload from one operation of an OpenAPI file (3.x, YAML or JSON), with its own examples.
//!
//! A description says what an answer looks like, not what it is: the contract gets the status and the content
//! type, and the rest is for whoever knows the data.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::question::{Answer, Question};

/// Methods that are scaffolded.
const METHODS: [&str; 2] = ["get", "post"];
/// How deep references are followed: a schema may contain itself.
const DEPTH: usize = 12;

/// An OpenAPI document.
pub struct Document {
    root: Value,
}

impl Document {
    /// Reads YAML, of which JSON is a part.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<Document, String> {
        let root: Value = serde_yaml_ng::from_str(text).map_err(|error| error.to_string())?;
        if root.get("openapi").is_none() {
            let older = root.get("swagger").is_some();
            return Err(if older {
                "it is Swagger 2: convert it to OpenAPI 3 first".to_owned()
            } else {
                "there is no `openapi` key: it is no OpenAPI file".to_owned()
            });
        }
        Ok(Document { root })
    }

    /// The request that `asked` names: `GET /path`, or an operationId.
    ///
    /// # Errors
    /// A sentence that names the operations there are.
    pub fn question(&self, asked: &str) -> Result<Question, String> {
        let all = self.operations();
        let named = |one: &&Operation| {
            one.name() == asked.trim()
                || one.body.get("operationId").and_then(Value::as_str) == Some(asked.trim())
        };
        let Some(operation) = all.iter().find(named) else {
            let names: Vec<String> = all.iter().map(Operation::name).collect();
            return Err(format!(
                "there is no GET or POST operation `{asked}`; there are {}",
                names.join(", ")
            ));
        };
        self.asked(operation)
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let paths = self.root.get("paths").and_then(Value::as_object);
        let mut found = Vec::new();
        for (path, item) in paths.into_iter().flatten() {
            for method in METHODS {
                if let Some(body) = item.get(method) {
                    found.push(Operation {
                        path,
                        method,
                        item,
                        body,
                    });
                }
            }
        }
        found
    }

    fn asked(&self, operation: &Operation) -> Result<Question, String> {
        let mut path = format!("{}{}", self.prefix(), operation.path);
        let mut query = Vec::new();
        let mut headers = BTreeMap::new();
        for parameter in self.parameters(operation) {
            let text = |key: &str| {
                parameter
                    .get(key)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            };
            let (name, place) = (text("name"), text("in"));
            let is_required = parameter
                .get("required")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            let Some(value) = self
                .parameter(parameter)
                .or_else(|| is_required.then(|| json!("example")))
            else {
                continue;
            };
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            match place {
                "path" => path = path.replace(&format!("{{{name}}}"), &encoded(&value)),
                "query" if is_required || self.has_example(parameter) => {
                    query.push(format!("{}={}", encoded(name), encoded(&value)))
                }
                "header" if is_required => drop(headers.insert(name.to_owned(), value)),
                _ => {}
            }
        }
        if path.contains('{') {
            return Err(format!(
                "{}: a parameter of its path is not described",
                operation.name()
            ));
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        let body = self.request_body(operation)?;
        if body.is_some() {
            headers.insert("Content-Type".to_owned(), "application/json".to_owned());
        }
        let (status, response_headers) = self.response(operation);
        let summary = operation
            .body
            .get("summary")
            .and_then(Value::as_str)
            .map(str::trim);
        Ok(Question {
            method: operation.method.to_uppercase(),
            path,
            headers,
            body,
            status,
            response_headers,
            answer: Answer::Unknown,
            asks: summary
                .filter(|text| !text.is_empty())
                .map_or_else(|| operation.name(), str::to_owned),
            origin: format!(
                "{} of an OpenAPI file, with its examples; the answer's body is not held to yet.",
                operation.name()
            ),
        })
    }

    /// The path of the first server.
    fn prefix(&self) -> String {
        let url = self
            .root
            .pointer("/servers/0/url")
            .and_then(Value::as_str)
            .unwrap_or("");
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("", |place| &rest[place..]),
            None => url,
        };
        path.trim_end_matches('/').to_owned()
    }

    fn parameters<'a>(&'a self, operation: &Operation<'a>) -> Vec<&'a Value> {
        let of = |value: &'a Value| value.get("parameters").and_then(Value::as_array);
        let all = of(operation.item)
            .into_iter()
            .chain(of(operation.body))
            .flatten();
        all.map(|parameter| self.resolved(parameter)).collect()
    }

    fn parameter(&self, parameter: &Value) -> Option<Value> {
        example(parameter).or_else(|| self.value(parameter.get("schema")?, 0))
    }

    fn has_example(&self, parameter: &Value) -> bool {
        example(parameter).is_some()
            || parameter
                .get("schema")
                .map(|schema| self.resolved(schema))
                .and_then(example)
                .is_some()
    }

    fn request_body(&self, operation: &Operation) -> Result<Option<String>, String> {
        let Some(body) = operation.body.get("requestBody") else {
            return Ok(None);
        };
        let body = self.resolved(body);
        let Some(content) = body
            .get("content")
            .and_then(|content| content.get("application/json"))
        else {
            return match body.get("required").and_then(Value::as_bool) {
                Some(true) => Err(format!(
                    "{}: its body is not application/json; record it with --record instead",
                    operation.name()
                )),
                _ => Ok(None),
            };
        };
        let value = example(content).or_else(|| self.value(content.get("schema")?, 0));
        Ok(Some(value.unwrap_or_else(|| json!({})).to_string()))
    }

    /// Status and content type of the first success.
    fn response(&self, operation: &Operation) -> (u16, BTreeMap<String, String>) {
        let responses = operation.body.get("responses").and_then(Value::as_object);
        let mut successes: Vec<(u16, &Value)> = responses
            .into_iter()
            .flatten()
            .filter_map(|(status, response)| Some((status.parse().ok()?, response)))
            .filter(|(status, _)| (200..300).contains(status))
            .collect();
        successes.sort_by_key(|(status, _)| *status);
        let Some((status, response)) = successes.first() else {
            return (200, BTreeMap::new());
        };
        let content = self
            .resolved(response)
            .get("content")
            .and_then(Value::as_object);
        let kind = content
            .and_then(|content| content.keys().next())
            .filter(|kind| !kind.contains('*'));
        let headers = kind.map(|kind| BTreeMap::from([("content-type".to_owned(), kind.clone())]));
        (*status, headers.unwrap_or_default())
    }

    /// A value that a schema allows: its example, its default, the first of its choices, or one of its type.
    fn value(&self, schema: &Value, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        let schema = self.resolved(schema);
        let given = example(schema)
            .or_else(|| schema.get("default").cloned())
            .or_else(|| schema.get("const").cloned())
            .or_else(|| schema.pointer("/enum/0").cloned());
        if given.is_some() {
            return given;
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(first) = schema.get(key).and_then(|all| all.get(0)) {
                return self.value(first, depth + 1);
            }
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            let mut whole = Map::new();
            for part in parts {
                if let Some(Value::Object(entries)) = self.value(part, depth + 1) {
                    whole.extend(entries);
                }
            }
            return Some(Value::Object(whole));
        }
        let kind = schema.get("type");
        let kind = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        match kind {
            Some("integer" | "number") => {
                Some(schema.get("minimum").cloned().unwrap_or_else(|| json!(1)))
            }
            Some("boolean") => Some(json!(true)),
            Some("string") => Some(json!(text_of(schema))),
            Some("array") => {
                let item = schema
                    .get("items")
                    .and_then(|items| self.value(items, depth + 1));
                Some(Value::Array(item.into_iter().collect()))
            }
            Some("object") | None if schema.get("properties").is_some() => {
                Some(self.object(schema, depth))
            }
            Some("object") => Some(json!({})),
            _ => None,
        }
    }

    /// Every required property, and those that have an example; all of them where none is required.
    fn object(&self, schema: &Value, depth: usize) -> Value {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut object = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            let wanted = required.is_empty()
                || required.contains(&name.as_str())
                || example(self.resolved(property)).is_some();
            if let Some(value) = wanted.then(|| self.value(property, depth + 1)).flatten() {
                object.insert(name.clone(), value);
            }
        }
        Value::Object(object)
    }

    /// What a reference within the file points to; anything else as it is.
    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..DEPTH {
            let pointer = value
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|text| text.strip_prefix('#'));
            match pointer.and_then(|pointer| self.root.pointer(pointer)) {
                Some(found) => value = found,
                None => break,
            }
        }
        value
    }
}

struct Operation<'a> {
    path: &'a str,
    method: &'a str,
    item: &'a Value,
    body: &'a Value,
}

impl Operation<'_> {
    fn name(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }
}

fn example(value: &Value) -> Option<Value> {
    let one = value.get("example").cloned();
    one.or_else(|| {
        let examples = value.get("examples")?;
        // A list in a schema, a table of objects with a `value` elsewhere.
        let first = examples
            .get(0)
            .or_else(|| examples.as_object()?.values().next()?.get("value"));
        first.cloned()
    })
}

fn text_of(schema: &Value) -> &'static str {
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("email") => "user@example.com",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "example",
    }
}

/// Percent-encoded but for what RFC 3986 calls unreserved.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PETS: &str = r##"
openapi: 3.0.3
servers: [{url: "https://api.example.com/v1/"}]
paths:
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer, minimum: 7}}]
    get:
      summary: One pet
      operationId: onePet
      parameters:
        - {name: fields, in: query, example: "a b"}
        - {name: page, in: query, schema: {type: integer}}
        - {$ref: "#/components/parameters/Tenant"}
      responses: {"404": {}, "200": {content: {application/json: {}}}}
  /pets:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: made}}
    delete: {}
components:
  parameters: {Tenant: {name: X-Tenant, in: header, required: true, schema: {type: string, enum: [blue, red]}}}
  schemas:
    Pet:
      type: object
      required: [name, parent]
      properties:
        name: {type: string, example: Rex}
        nick: {type: string}
        parent: {$ref: "#/components/schemas/Pet"}
"##;

    #[test]
    fn parameters_are_filled_from_examples_choices_and_bounds() {
        let found = Document::parse(PETS).unwrap().question("onePet").unwrap();
        assert_eq!(
            (found.method.as_str(), found.path.as_str()),
            ("GET", "/v1/pets/7?fields=a%20b")
        );
        assert_eq!(found.headers["X-Tenant"], "blue");
        assert_eq!(
            (
                found.status,
                found.response_headers["content-type"].as_str()
            ),
            (200, "application/json")
        );
        assert_eq!(found.asks, "One pet");
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let found = Document::parse(PETS)
            .unwrap()
            .question("POST /pets")
            .unwrap();
        let body: Value = serde_json::from_str(&found.body.unwrap()).unwrap();
        assert_eq!(body["parent"]["name"], "Rex");
        assert_eq!(body.get("nick"), None);
        assert_eq!(found.status, 201);
    }

    #[test]
    fn an_operation_that_is_not_there_is_answered_with_those_that_are() {
        let error = Document::parse(PETS)
            .unwrap()
            .question("DELETE /pets")
            .unwrap_err();
        assert!(error.contains("GET /pets/{id}, POST /pets"), "{error}");
        assert!(Document::parse("swagger: '2.0'").is_err_and(|error| error.contains("Swagger 2")));
        assert!(Document::parse("{").is_err());
    }

    #[test]
    fn json_is_read_too() {
        let text = r#"{"openapi":"3.1.0","paths":{"/a":{"get":{}}}}"#;
        let found = Document::parse(text).unwrap().question("GET /a").unwrap();
        assert_eq!((found.path.as_str(), found.status), ("/a", 200));
    }
}
