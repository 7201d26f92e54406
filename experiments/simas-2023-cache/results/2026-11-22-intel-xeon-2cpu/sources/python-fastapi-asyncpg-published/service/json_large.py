"""`GET /cache`: 1,000 movies built for every request, or `?objects=100`."""

from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from fastapi import APIRouter

from service.movie import Movie

router = APIRouter()


# No type is given for the answer: FastAPI takes the dataclasses apart itself, value by value.
@router.get("/cache")
async def movies(objects: Literal["100", "1000"] = "1000"):
    return [movie(index) for index in range(int(objects))]


def movie(index: int) -> Movie:
    return Movie(
        id=UUID(f"00000000-0000-4000-8000-{index:012x}"),
        name="any-movie-name",
        release_date=datetime(2023, 8, 24, tzinfo=UTC),
        director="any-movie-director",
        description="any-movie-description",
        duration=1000,
        budget=10_000,
        created_at=datetime(2023, 8, 24, 12, tzinfo=UTC),
        updated_at=datetime(2023, 8, 24, 12, tzinfo=UTC),
    )
