"""`GET /select-one`: the value of a query that reads no table."""

from fastapi import APIRouter
from sqlalchemy import text

from service import schemas
from service.database import AsyncSessionOfRequest, SyncSessionOfRequest

SELECT = text("SELECT 1 AS value")

sync_router = APIRouter()
async_router = APIRouter()


@sync_router.get("/select-one", response_model=schemas.One)
def select_one(session: SyncSessionOfRequest):
    return session.execute(SELECT).one()


@async_router.get("/select-one", response_model=schemas.One)
async def select_one_async(session: AsyncSessionOfRequest):
    return (await session.execute(SELECT)).one()
