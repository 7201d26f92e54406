"""One client: the request line of each request. Headers are skipped, not read."""

import asyncio

from service import hello

REQUEST_LIMIT = 16 * 1024

HEALTHY = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
NOT_ALLOWED = b"HTTP/1.1 405 Method Not Allowed\r\nallow: GET\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
ANSWERS = {b"/hello": hello.ANSWER, b"/health": HEALTHY}


class Connection(asyncio.Protocol):
    """`connections` holds all that are open, so that a stopping server can end them."""

    def __init__(self, connections: set["Connection"]) -> None:
        self.connections = connections
        self.received = b""

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        *heads, self.received = (self.received + data).split(b"\r\n\r\n")
        for head in heads:
            method, target, *_ = head.split(b" ", 2) + [b"", b""]
            answer = ANSWERS.get(target.partition(b"?")[0])
            if answer is None or method != b"GET":
                # The request may have a body, which nothing here would skip.
                return self.finish(NOT_FOUND if answer is None else NOT_ALLOWED)
            self.transport.write(answer)
        if len(self.received) > REQUEST_LIMIT:
            self.finish(TOO_LARGE)

    def finish(self, last_word: bytes = b"") -> None:
        self.transport.write(last_word)
        self.transport.close()
