"""`GET /cache?objects=100|1000`: movies built for every request."""

from dataclasses import dataclass

from blacksheep import FromQuery, Response, bad_request, json

SIZES = {"100": 100, "1000": 1000}


@dataclass
class Movie:
    id: str
    name: str
    release_date: str
    director: str
    description: str
    duration: int
    budget: int
    created_at: str
    updated_at: str


async def movies(objects: FromQuery[str]) -> Response:
    count = SIZES.get(objects.value)
    if count is None:
        return bad_request("objects is 100 or 1000")
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
