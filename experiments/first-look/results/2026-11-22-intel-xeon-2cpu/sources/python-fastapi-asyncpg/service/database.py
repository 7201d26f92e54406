"""The connection pool, opened and checked at start."""

from contextlib import asynccontextmanager

import asyncpg

from service import settings

FIND_TABLES = """SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL"""


@asynccontextmanager
async def pool(url: str):
    async with asyncpg.create_pool(
        url,
        min_size=settings.DB_POOL_IDLE // settings.WORKERS,
        max_size=settings.DB_POOL_SIZE // settings.WORKERS,
    ) as pool:
        if not await pool.fetchval(FIND_TABLES):
            raise RuntimeError("the database of DATABASE_URL has no table that this service reads")
        yield pool
