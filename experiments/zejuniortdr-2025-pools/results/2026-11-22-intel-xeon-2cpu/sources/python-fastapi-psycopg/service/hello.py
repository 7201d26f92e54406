"""`GET /hello`: a constant line of text."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

router = APIRouter(default_response_class=PlainTextResponse)


@router.get("/hello")
async def hello() -> str:
    return "Hello, World"
