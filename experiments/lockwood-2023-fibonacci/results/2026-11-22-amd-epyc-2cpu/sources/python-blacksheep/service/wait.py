"""`GET /async`: a wait that holds no thread."""

import asyncio

from blacksheep import Response, text


async def wait() -> Response:
    await asyncio.sleep(0.002)
    return text("OK")
