"""`GET /users`: the first hundred users by id."""

from fastapi import APIRouter, Request
from pydantic import BaseModel

SELECT = 'SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100'

router = APIRouter()


class User(BaseModel):
    user_id: str
    username: str
    email: str


@router.get("/users")
async def users(request: Request) -> list[User]:
    rows = await request.app.state.pool.fetch(SELECT)
    return [User(**row) for row in rows]
