"""`GET /select-one`: the value of a query that reads no table."""

from fastapi import APIRouter, Request
from psycopg.rows import class_row
from pydantic import BaseModel

SELECT = "SELECT 1 AS value"

router = APIRouter()


class One(BaseModel):
    value: int


@router.get("/select-one")
async def select_one(request: Request) -> One:
    async with (
        request.app.state.pool.connection() as connection,
        connection.cursor(row_factory=class_row(One)) as cursor,
    ):
        await cursor.execute(SELECT)
        return await cursor.fetchone()
