"""The connection pool, opened and checked at start."""

from contextlib import asynccontextmanager

import asyncpg

from service import settings

FIND_TABLE = "SELECT to_regclass('movies') IS NOT NULL"


@asynccontextmanager
async def pool(url: str):
    async with asyncpg.create_pool(
        url,
        min_size=settings.DB_POOL_IDLE // settings.WORKERS,
        max_size=settings.DB_POOL_SIZE // settings.WORKERS,
    ) as pool:
        if not await pool.fetchval(FIND_TABLE):
            raise RuntimeError("the database of DATABASE_URL has no table movies")
        yield pool
