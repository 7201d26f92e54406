"""`GET /cache?objects=100|1000`: movies built for every request."""

from urllib.parse import parse_qs

import msgspec

from service.answers import Answer, json, refusal

SIZES = {"100": 100, "1000": 1000}


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


async def movies(query: bytes, body: bytes) -> Answer:
    objects = parse_qs(query.decode("latin-1")).get("objects", [""])[0]
    count = SIZES.get(objects)
    if count is None:
        return refusal(400, "objects is 100 or 1000")
    return json([movie(index) for index in range(count)])


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
