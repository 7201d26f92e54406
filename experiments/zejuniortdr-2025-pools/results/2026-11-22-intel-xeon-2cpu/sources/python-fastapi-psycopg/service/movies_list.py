"""`GET /db`: the first twenty movies by id."""

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter, Request
from psycopg.rows import class_row
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
    async with (
        request.app.state.pool.connection() as connection,
        connection.cursor(row_factory=class_row(Movie)) as cursor,
    ):
        await cursor.execute(SELECT)
        return await cursor.fetchall()
