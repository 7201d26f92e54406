"""`GET /async`: a wait that holds no thread."""

import asyncio

from service.answers import Answer, text


async def wait(query: bytes, body: bytes) -> Answer:
    await asyncio.sleep(0.002)
    return text("OK")
