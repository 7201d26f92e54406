"""A user parsed into a typed record and answered, whatever the method and path."""

import msgspec


class User(msgspec.Struct):
    id: int
    name: str
    email: str


decoder = msgspec.json.Decoder(User)
encoder = msgspec.json.Encoder()


def echo(body: bytes) -> bytes:
    user = encoder.encode(decoder.decode(body))
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Length: {len(user)}\r\nContent-Type: application/json\r\n\r\n"
    )
    return head.encode() + user
