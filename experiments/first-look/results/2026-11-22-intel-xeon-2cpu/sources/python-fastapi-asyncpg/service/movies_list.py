"""`GET /db`: the first twenty movies by id."""

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import BaseModel

SELECT = """
    SELECT id, name, release_date, director, description, duration, budget, created_at, updated_at
    FROM movies ORDER BY id LIMIT 20
"""

router = APIRouter()


class Movie(BaseModel):
    id: UUID
    name: str
    release_date: datetime
    director: str
    description: str
    duration: int
    budget: int
    created_at: datetime
    updated_at: datetime


@router.get("/db")
async def movies(request: Request) -> list[Movie]:
    rows = await request.app.state.pool.fetch(SELECT)
    return [Movie(**row) for row in rows]
