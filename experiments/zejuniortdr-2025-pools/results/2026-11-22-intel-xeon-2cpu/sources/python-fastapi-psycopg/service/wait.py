"""`GET /async`: a wait that holds no thread."""

import asyncio

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

router = APIRouter(default_response_class=PlainTextResponse)


@router.get("/async")
async def wait() -> str:
    await asyncio.sleep(0.002)
    return "OK"
