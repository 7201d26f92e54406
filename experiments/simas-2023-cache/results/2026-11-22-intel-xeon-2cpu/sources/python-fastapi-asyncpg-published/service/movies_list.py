"""`GET /db`: twenty movies in no stated order."""

from fastapi import APIRouter, Request

from service.movie import Movie

SELECT = "SELECT * FROM movies LIMIT 20"

router = APIRouter()


# No type is given for the answer: FastAPI takes the dataclasses apart itself, value by value.
@router.get("/db")
async def movies(request: Request):
    rows = await request.app.state.pool.fetch(SELECT)
    return [Movie(**row) for row in rows]
