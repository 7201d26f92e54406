"""`GET /cache?objects=100|1000`: movies built for every request."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

router = APIRouter()


class Movie(BaseModel):
    id: str
    name: str
    release_date: str
    director: str
    description: str
    duration: int
    budget: int
    created_at: str
    updated_at: str


@router.get("/cache")
async def movies(objects: Literal["100", "1000"]) -> list[Movie]:
    return [movie(index) for index in range(int(objects))]


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
