"""`GET /api/v1/cep/{cep}`: the address of a postal code, from the database or else from ViaCEP."""

import asyncio
import logging
from time import monotonic
from typing import Annotated, Literal

import psycopg
from fastapi import APIRouter, HTTPException, Path, Request
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from pydantic import BaseModel

from service.viacep import Unavailable, ViaCep

SELECT = """
    SELECT left(l.cep, 5) || '-' || right(l.cep, 3) AS cep, l.logradouro, l.complemento,
           b.nome AS bairro, c.nome AS cidade, e.uf, e.nome AS estado, c.ibge
    FROM logradouro AS l
    JOIN cidade AS c ON c.ibge = l.ibge
    JOIN estado AS e ON e.uf = c.uf
    LEFT JOIN bairro AS b ON b.id = l.id_bairro
    WHERE l.cep = %s
"""

# The update of a district that is there changes nothing: it makes the statement return its id.
INSERT = """
    WITH new_cidade AS (
        INSERT INTO cidade (ibge, nome, uf) VALUES (%(ibge)s, %(cidade)s, %(uf)s) ON CONFLICT (ibge) DO NOTHING
    ), new_bairro AS (
        INSERT INTO bairro (ibge, nome)
        SELECT %(ibge)s, %(bairro)s::text WHERE %(bairro)s::text IS NOT NULL
        ON CONFLICT (ibge, nome) DO UPDATE SET nome = excluded.nome RETURNING id
    )
    INSERT INTO logradouro (cep, logradouro, complemento, ibge, id_bairro)
    VALUES (%(digits)s, %(logradouro)s, %(complemento)s, %(ibge)s, (SELECT id FROM new_bairro))
    ON CONFLICT (cep) DO NOTHING
"""

# How long an answer of ViaCEP is remembered: that there is none, and one that could not be stored.
REMEMBERED_S = 60.0
REMEMBERED_COUNT = 10_000
# Longest wait for an address to be stored.
STORE_LIMIT_S = 1.0
# Time after which a client may try again.
RETRY_AFTER_S = 5

logger = logging.getLogger("uvicorn.error")
router = APIRouter()

Cep = Annotated[str, Path(pattern="^[0-9]{5}-?[0-9]{3}$")]


class Address(BaseModel):
    cep: str
    logradouro: str | None
    complemento: str | None
    bairro: str | None
    cidade: str
    uf: str
    estado: str
    ibge: str
    provider: Literal["database", "viacep"]


class Lookup:
    """Asks ViaCEP once however many ask for the same CEP, and remembers the answer for a while."""

    def __init__(self, pool: AsyncConnectionPool, viacep: ViaCep) -> None:
        self._pool = pool
        self._viacep = viacep
        # In the order they began, which is the order they are forgotten in.
        self._recent: dict[str, tuple[float, asyncio.Task[Address | None]]] = {}

    async def address(self, cep: str) -> Address | None:
        began, task = self._recent.get(cep, (0.0, None))
        if task is None or (task.done() and began + REMEMBERED_S < monotonic()):
            task = self._begin(cep)
        # Whoever goes away does not stop it for the others.
        return await asyncio.shield(task)

    def _begin(self, cep: str) -> asyncio.Task[Address | None]:
        self._recent.pop(cep, None)
        while len(self._recent) >= REMEMBERED_COUNT:
            del self._recent[next(iter(self._recent))]
        task = asyncio.create_task(self._ask(cep))
        self._recent[cep] = (monotonic(), task)
        return task

    async def _ask(self, cep: str) -> Address | None:
        try:
            record = await self._viacep.record(cep)
        except BaseException as error:
            self._recent.pop(cep, None)
            logger.warning("ViaCEP: %s", error)
            raise
        if record is None:
            return None
        address = Address(
            cep=record.cep,
            logradouro=record.logradouro or None,
            complemento=record.complemento or None,
            bairro=record.bairro or None,
            cidade=record.localidade,
            uf=record.uf,
            estado=record.estado,
            ibge=record.ibge,
            provider="viacep",
        )
        await self._store(cep, address)
        return address

    async def _store(self, cep: str, address: Address) -> None:
        """Stores an address for the next request. It is answered all the same when that fails."""
        try:
            async with asyncio.timeout(STORE_LIMIT_S), self._pool.connection() as connection:
                await connection.execute(INSERT, {"digits": cep, **address.model_dump()})
        except (psycopg.Error, PoolTimeout, TimeoutError) as error:
            logger.warning("%s is not stored: %s", cep, error)


@router.get("/api/v1/cep/{cep}")
async def look_up(cep: Cep, request: Request) -> Address:
    digits = cep.replace("-", "")
    async with (
        request.app.state.pool.connection() as connection,
        connection.cursor(row_factory=dict_row) as cursor,
    ):
        await cursor.execute(SELECT, (digits,))
        row = await cursor.fetchone()
    if row is not None:
        return Address(**row, provider="database")
    try:
        address = await request.app.state.lookup.address(digits)
    except Unavailable as error:
        retry = {"Retry-After": str(RETRY_AFTER_S)}
        raise HTTPException(503, "ViaCEP failed", headers=retry) from error
    if address is None:
        raise HTTPException(404, "no such CEP")
    return address
