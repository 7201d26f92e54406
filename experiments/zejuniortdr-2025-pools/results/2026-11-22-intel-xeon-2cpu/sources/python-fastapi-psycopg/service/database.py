"""The connection pool, opened and checked at start."""

from contextlib import asynccontextmanager

from psycopg_pool import AsyncConnectionPool

from service import settings

FIND_TABLES = """SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL"""


@asynccontextmanager
async def pool(url: str):
    async with AsyncConnectionPool(
        url,
        min_size=settings.DB_POOL_IDLE // settings.WORKERS,
        max_size=settings.DB_POOL_SIZE // settings.WORKERS,
        open=False,
    ) as pool:
        await pool.wait(timeout=5)
        async with pool.connection() as connection:
            cursor = await connection.execute(FIND_TABLES)
            if await cursor.fetchone() != (True,):
                raise RuntimeError(
                    "the database of DATABASE_URL has no table that this service reads"
                )
        yield pool
