"""`GET /hello`: a constant line of text."""

from service.answers import Answer, text


async def hello(query: bytes, body: bytes) -> Answer:
    return text("Hello, World")
