"""`GET /users`: the first hundred users by id."""

from fastapi import APIRouter, Request
from psycopg.rows import class_row
from pydantic import BaseModel

SELECT = 'SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100'

router = APIRouter()


class User(BaseModel):
    user_id: str
    username: str
    email: str


@router.get("/users")
async def users(request: Request) -> list[User]:
    async with (
        request.app.state.pool.connection() as connection,
        connection.cursor(row_factory=class_row(User)) as cursor,
    ):
        await cursor.execute(SELECT)
        return await cursor.fetchall()
