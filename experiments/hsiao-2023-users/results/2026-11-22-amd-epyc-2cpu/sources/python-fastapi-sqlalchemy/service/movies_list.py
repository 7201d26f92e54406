"""`GET /db`: the first twenty movies by id."""

from fastapi import APIRouter
from sqlalchemy import select

from service import models, schemas
from service.database import AsyncSessionOfRequest, SyncSessionOfRequest

SELECT = select(models.Movie).order_by(models.Movie.id).limit(20)

sync_router = APIRouter()
async_router = APIRouter()


@sync_router.get("/db", response_model=list[schemas.Movie])
def movies(session: SyncSessionOfRequest):
    return session.scalars(SELECT).all()


@async_router.get("/db", response_model=list[schemas.Movie])
async def movies_async(session: AsyncSessionOfRequest):
    return (await session.scalars(SELECT)).all()
