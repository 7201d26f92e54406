"""`GET /users/{user_id}`: one user by primary key."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request

from service.users_list import User

SELECT = 'SELECT user_id, username, email FROM "user" WHERE user_id = $1'

router = APIRouter()

# A UUID as the column spells it.
UserId = Annotated[str, Path(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]


@router.get("/users/{user_id}")
async def user(user_id: UserId, request: Request) -> User:
    row = await request.app.state.pool.fetchrow(SELECT, user_id)
    if row is None:
        raise HTTPException(404, "no such user")
    return User(**row)
