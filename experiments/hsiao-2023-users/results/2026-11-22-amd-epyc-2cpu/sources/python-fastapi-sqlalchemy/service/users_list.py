"""`GET /users`: the first hundred users by id."""

from fastapi import APIRouter
from sqlalchemy import select

from service import models, schemas
from service.database import AsyncSessionOfRequest, SyncSessionOfRequest

SELECT = select(models.User).order_by(models.User.user_id).limit(100)

sync_router = APIRouter()
async_router = APIRouter()


@sync_router.get("/users", response_model=list[schemas.User])
def users(session: SyncSessionOfRequest):
    return session.scalars(SELECT).all()


@async_router.get("/users", response_model=list[schemas.User])
async def users_async(session: AsyncSessionOfRequest):
    return (await session.scalars(SELECT)).all()
