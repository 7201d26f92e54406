"""`GET /hello`: a constant line of text."""

from blacksheep import Response, text


async def hello() -> Response:
    return text("Hello, World")
