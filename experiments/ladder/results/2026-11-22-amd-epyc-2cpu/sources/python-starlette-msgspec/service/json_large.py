"""`GET /cache?objects=100|1000`: movies built for every request."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

SIZES = {"100": 100, "1000": 1000}

encoder = msgspec.json.Encoder()


class Movie(msgspec.Struct):
    id: str
    name: str
    release_date: str
    director: str
    description: str
    duration: int
    budget: int
    created_at: str
    updated_at: str


async def movies(request: Request) -> Response:
    count = SIZES.get(request.query_params.get("objects", ""))
    if count is None:
        return Response("objects is 100 or 1000", status_code=400, media_type="text/plain")
    body = encoder.encode([movie(index) for index in range(count)])
    return Response(body, media_type="application/json")


def movie(index: int) -> Movie:
    return Movie(
        id=f"00000000-0000-4000-8000-{index:012x}",
        name="any-movie-name",
        release_date="2023-08-24T00:00:00Z",
        director="any-movie-director",
        description="any-movie-description",
        duration=1000,
        budget=10_000,
        created_at="2023-08-24T12:00:00Z",
        updated_at="2023-08-24T12:00:00Z",
    )
