"""The connection pool, opened and checked at start."""

from contextlib import contextmanager

from psycopg_pool import ConnectionPool

from service import settings

FIND_TABLES = """SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL"""


@contextmanager
def pool(url: str):
    with ConnectionPool(
        url,
        min_size=settings.DB_POOL_IDLE // settings.WORKERS,
        max_size=settings.DB_POOL_SIZE // settings.WORKERS,
        open=False,
    ) as pool:
        pool.wait(timeout=5)
        with pool.connection() as connection:
            cursor = connection.execute(FIND_TABLES)
            if cursor.fetchone() != (True,):
                raise RuntimeError(
                    "the database of DATABASE_URL has no table that this service reads"
                )
        yield pool
