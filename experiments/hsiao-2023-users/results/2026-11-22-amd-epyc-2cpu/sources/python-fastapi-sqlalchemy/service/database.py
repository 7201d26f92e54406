"""The engines and their pool, opened and checked at start."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from service import settings

FIND_TABLES = text(
    """SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL"""
)

IDLE = settings.DB_POOL_IDLE // settings.WORKERS
# To SQLAlchemy the pool's size is what stays open; what overflows it is closed after use.
POOL: dict[str, Any] = {
    "pool_size": max(IDLE, 1),
    "max_overflow": settings.DB_POOL_SIZE // settings.WORKERS - max(IDLE, 1),
}


@contextmanager
def sync_engine(url: str):
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), **POOL)
    with engine.connect() as connection:
        check(connection.scalar(FIND_TABLES))
    # The pool opens connections on demand only: hold the idle ones at once.
    with ExitStack() as held:
        for _ in range(IDLE):
            held.enter_context(engine.connect())
    yield engine
    engine.dispose()


@asynccontextmanager
async def async_engine(url: str):
    engine = create_async_engine(make_url(url).set(drivername="postgresql+psycopg"), **POOL)
    async with engine.connect() as connection:
        check(await connection.scalar(FIND_TABLES))
    # The pool opens connections on demand only: hold the idle ones at once.
    async with AsyncExitStack() as held:
        for _ in range(IDLE):
            await held.enter_async_context(engine.connect())
    yield engine
    await engine.dispose()


def check(found: bool | None) -> None:
    if not found:
        raise RuntimeError("the database of DATABASE_URL has no table that this service reads")


def open_sync_session(request: Request) -> Iterator[Session]:
    with Session(request.app.state.engine) as session:
        yield session


async def open_async_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with AsyncSession(request.app.state.engine) as session:
        yield session


SyncSessionOfRequest = Annotated[Session, Depends(open_sync_session)]
AsyncSessionOfRequest = Annotated[AsyncSession, Depends(open_async_session)]
