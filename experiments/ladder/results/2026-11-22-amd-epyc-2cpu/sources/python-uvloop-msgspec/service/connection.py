"""HTTP/1.1 on a uvloop transport: requests parsed by httptools, answered in the order they came."""

import asyncio
import logging
from collections import deque
from http import HTTPStatus
from typing import NamedTuple

import httptools

from service import settings
from service.answers import Answer, refusal
from service.routes import route

logger = logging.getLogger("service")

HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 2 * 1024 * 1024
# Pipelined requests waiting for their turn, before reading stops.
WAITING_LIMIT = 32

REASONS = {status.value: status.phrase.encode() for status in HTTPStatus}


class Request(NamedTuple):
    method: str
    url: bytes
    body: bytes
    keep_alive: bool


class Connection(asyncio.Protocol):
    """One client. `connections` holds all that are open, so that a stopping server can end them."""

    def __init__(self, connections: set["Connection"]) -> None:
        self.connections = connections
        self.parser = httptools.HttpRequestParser(self)
        self.reading_head = True
        self.head_size = 0
        self.waiting: deque[Request] = deque()
        self.answering: asyncio.Task | None = None
        # Set once: what is said after the last answer, before the connection is closed.
        self.last_word: Answer | None = None
        self.closing = False
        self.crowded = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.connections.discard(self)
        if self.answering is not None:
            self.answering.cancel()

    def pause_writing(self) -> None:
        """A client that does not read its answers may not send more requests."""
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        if not self.closing:
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        if self.closing:
            return
        if self.reading_head:
            self.head_size += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # No other protocol is spoken here: the request is answered, what follows it is not read.
            self.finish()
        except httptools.HttpParserError:
            self.finish(refusal(400, "Bad Request"))
        if self.reading_head and self.head_size > HEAD_LIMIT:
            self.finish(refusal(431, "Request Header Fields Too Large"))
        self.answer_waiting()

    # The parser calls these as it meets the parts of a request.

    def on_message_begin(self) -> None:
        self.url = b""
        self.body = bytearray()

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"expect" and value.lower() == b"100-continue":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_headers_complete(self) -> None:
        self.reading_head = False

    def on_body(self, body: bytes) -> None:
        if len(self.body) + len(body) > BODY_LIMIT:
            self.finish(refusal(413, "Content Too Large"))
        else:
            self.body += body

    def on_message_complete(self) -> None:
        self.reading_head = True
        self.head_size = 0
        if self.closing:
            return
        method = self.parser.get_method().decode()
        keep_alive = self.parser.should_keep_alive()
        self.waiting.append(Request(method, self.url, bytes(self.body), keep_alive))

    def finish(self, last_word: Answer | None = None) -> None:
        """Reads no more; the connection is closed when what has been read is answered."""
        if not self.closing:
            self.closing = True
            self.last_word = last_word
            self.transport.pause_reading()
            self.answer_waiting()

    def answer_waiting(self) -> None:
        if self.answering is None and (self.waiting or self.closing):
            self.answering = asyncio.create_task(self.answer_all())
        if len(self.waiting) > WAITING_LIMIT:
            self.crowded = True
            self.transport.pause_reading()

    async def answer_all(self) -> None:
        while self.waiting:
            request = self.waiting.popleft()
            self.write(await respond(request), request.keep_alive)
            if not request.keep_alive:
                self.transport.close()
                return
        if self.closing:
            if self.last_word is not None:
                self.write(self.last_word, keep_alive=False)
            self.transport.close()
            return
        self.answering = None
        if self.crowded:
            self.crowded = False
            self.transport.resume_reading()

    def write(self, answer: Answer, keep_alive: bool) -> None:
        self.transport.write(
            b"HTTP/1.1 %d %b\r\ncontent-type: %b\r\ncontent-length: %d\r\n%b\r\n%b"
            % (
                answer.status,
                REASONS[answer.status],
                answer.content_type,
                len(answer.body),
                b"" if keep_alive else b"connection: close\r\n",
                answer.body,
            )
        )


async def respond(request: Request) -> Answer:
    try:
        url = httptools.parse_url(request.url)
        path = url.path.decode("latin-1")
        answer = await route(request.method, path, url.query or b"", request.body)
    except httptools.HttpParserInvalidURLError:
        answer = refusal(400, "Bad Request")
    except Exception:
        logger.exception("%s %s", request.method, request.url)
        answer = refusal(500, "Internal Server Error")
    if settings.LOG_REQUESTS:
        logger.info("%s %s %d", request.method, request.url.decode("latin-1"), answer.status)
    return answer
