"""`GET /fibonacci`: the Fibonacci numbers up to a limit, computed for every request."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

LIMIT = 100_000_000

router = APIRouter(default_response_class=PlainTextResponse)


@router.get("/fibonacci")
async def answer() -> str:
    return "OK" if fibonacci(LIMIT)[0] == 1 else "?"


def fibonacci(limit: int) -> list[int]:
    numbers = []
    a, b = 1, 1
    while a <= limit:
        numbers.append(a)
        a, b = b, a + b
    return numbers
