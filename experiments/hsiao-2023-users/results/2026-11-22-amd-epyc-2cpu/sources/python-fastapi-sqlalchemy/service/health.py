"""`GET /health`: ready, and where there is a database, able to query it."""

from fastapi import APIRouter
from sqlalchemy import text

from service.database import AsyncSessionOfRequest, SyncSessionOfRequest

router = APIRouter()
sync_router = APIRouter()
async_router = APIRouter()


@router.get("/health")
async def health() -> None:
    return None


@sync_router.get("/health")
def health_sync(session: SyncSessionOfRequest) -> None:
    session.execute(text("SELECT 1"))


@async_router.get("/health")
async def health_async(session: AsyncSessionOfRequest) -> None:
    await session.execute(text("SELECT 1"))
