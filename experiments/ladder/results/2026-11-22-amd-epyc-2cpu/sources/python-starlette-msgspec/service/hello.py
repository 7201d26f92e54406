"""`GET /hello`: a constant line of text."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("Hello, World")
