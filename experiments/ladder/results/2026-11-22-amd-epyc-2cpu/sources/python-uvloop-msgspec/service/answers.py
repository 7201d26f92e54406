"""What a handler returns: status, content type and body."""

from typing import Any, NamedTuple

import msgspec

encoder = msgspec.json.Encoder()


class Answer(NamedTuple):
    status: int
    content_type: bytes
    body: bytes


def text(line: str) -> Answer:
    return Answer(200, b"text/plain; charset=utf-8", line.encode())


def json(value: Any) -> Answer:
    return Answer(200, b"application/json", encoder.encode(value))


def refusal(status: int, reason: str) -> Answer:
    return Answer(status, b"text/plain; charset=utf-8", reason.encode())
