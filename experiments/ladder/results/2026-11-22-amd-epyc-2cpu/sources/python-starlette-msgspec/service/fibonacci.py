"""`GET /fibonacci`: the Fibonacci numbers up to a limit, computed for every request."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse

LIMIT = 100_000_000


async def answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse("OK" if fibonacci(LIMIT)[0] == 1 else "?")


def fibonacci(limit: int) -> list[int]:
    numbers = []
    a, b = 1, 1
    while a <= limit:
        numbers.append(a)
        a, b = b, a + b
    return numbers
