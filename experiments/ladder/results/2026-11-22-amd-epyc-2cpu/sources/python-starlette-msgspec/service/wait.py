"""`GET /async`: a wait that holds no thread."""

import asyncio

from starlette.requests import Request
from starlette.responses import PlainTextResponse


async def wait(request: Request) -> PlainTextResponse:
    await asyncio.sleep(0.002)
    return PlainTextResponse("OK")
