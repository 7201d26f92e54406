"""The connection pool, opened and checked at start."""

from contextlib import contextmanager

from psycopg2.pool import SimpleConnectionPool

from service import settings

FIND_TABLE = "SELECT to_regclass('movies') IS NOT NULL AS found"


@contextmanager
def pool(url: str):
    pool = SimpleConnectionPool(
        settings.DB_POOL_IDLE // settings.WORKERS,
        settings.DB_POOL_SIZE // settings.WORKERS,
        url,
    )
    try:
        if query(pool, FIND_TABLE) != [{"found": True}]:
            raise RuntimeError("the database of DATABASE_URL has no table movies")
        yield pool
    finally:
        pool.closeall()


def query(pool: SimpleConnectionPool, statement: str) -> list[dict]:
    """The rows of a statement, by column. Its transaction is left to the pool, which rolls it back."""
    connection = pool.getconn()
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            columns = [column.name for column in cursor.description]
            return [dict(zip(columns, row)) for row in cursor.fetchall()]
    finally:
        pool.putconn(connection)
