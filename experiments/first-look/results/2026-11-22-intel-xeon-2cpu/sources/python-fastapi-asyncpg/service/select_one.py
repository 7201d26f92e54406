"""`GET /select-one`: the value of a query that reads no table."""

from fastapi import APIRouter, Request
from pydantic import BaseModel

SELECT = "SELECT 1 AS value"

router = APIRouter()


class One(BaseModel):
    value: int


@router.get("/select-one")
async def select_one(request: Request) -> One:
    row = await request.app.state.pool.fetchrow(SELECT)
    return One(**row)
