"""`GET /users/{user_id}`: one user by primary key."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path

from service import models, schemas
from service.database import AsyncSessionOfRequest, SyncSessionOfRequest

sync_router = APIRouter()
async_router = APIRouter()

# A UUID as the column spells it.
UserId = Annotated[str, Path(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]


@sync_router.get("/users/{user_id}", response_model=schemas.User)
def user(user_id: UserId, session: SyncSessionOfRequest):
    user = session.get(models.User, user_id)
    if user is None:
        raise HTTPException(404, "no such user")
    return user


@async_router.get("/users/{user_id}", response_model=schemas.User)
async def user_async(user_id: UserId, session: AsyncSessionOfRequest):
    user = await session.get(models.User, user_id)
    if user is None:
        raise HTTPException(404, "no such user")
    return user
