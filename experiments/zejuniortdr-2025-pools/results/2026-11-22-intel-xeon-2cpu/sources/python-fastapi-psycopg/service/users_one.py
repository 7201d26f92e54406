"""`GET /users/{user_id}`: one user by primary key."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from psycopg.rows import class_row

from service.users_list import User

SELECT = 'SELECT user_id, username, email FROM "user" WHERE user_id = %s'

router = APIRouter()

# A UUID as the column spells it.
UserId = Annotated[str, Path(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]


@router.get("/users/{user_id}")
async def user(user_id: UserId, request: Request) -> User:
    async with (
        request.app.state.pool.connection() as connection,
        connection.cursor(row_factory=class_row(User)) as cursor,
    ):
        await cursor.execute(SELECT, (user_id,))
        user = await cursor.fetchone()
    if user is None:
        raise HTTPException(404, "no such user")
    return user
