"""Addresses in the database, found and stored with either kind of engine."""

import asyncio
from typing import Any

from anyio import to_thread
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Engine, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import Session, joinedload

from service import models, schemas

SELECT = (
    select(models.Logradouro)
    .options(
        joinedload(models.Logradouro.cidade, innerjoin=True).joinedload(
            models.Cidade.estado, innerjoin=True
        ),
        joinedload(models.Logradouro.bairro),
    )
    .where(models.Logradouro.cep == bindparam("digits"))
)

# The update of a district that is there changes nothing: it makes the statement return its id.
INSERT = text("""
    WITH new_cidade AS (
        INSERT INTO cidade (ibge, nome, uf) VALUES (:ibge, :cidade, :uf)
        ON CONFLICT (ibge) DO NOTHING
    ), new_bairro AS (
        INSERT INTO bairro (ibge, nome)
        SELECT :ibge, CAST(:bairro AS text) WHERE CAST(:bairro AS text) IS NOT NULL
        ON CONFLICT (ibge, nome) DO UPDATE SET nome = excluded.nome RETURNING id
    )
    INSERT INTO logradouro (cep, logradouro, complemento, ibge, id_bairro)
    VALUES (:digits, :logradouro, :complemento, :ibge, (SELECT id FROM new_bairro))
    ON CONFLICT (cep) DO NOTHING
""")

# Longest wait for an address to be stored.
STORE_LIMIT_S = 1.0


class AsyncAddresses:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def find(self, digits: str) -> schemas.Address | None:
        async with AsyncSession(self._engine) as session:
            return address(await session.scalar(SELECT, {"digits": digits}))

    async def store(self, digits: str, found: schemas.Address) -> None:
        async with asyncio.timeout(STORE_LIMIT_S), AsyncSession(self._engine) as session:
            await session.execute(INSERT, values(digits, found))
            await session.commit()


class SyncAddresses:
    """In the thread pool. Whoever waits for ViaCEP holds no thread: hits would wait with them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def find(self, digits: str) -> schemas.Address | None:
        return await run_in_threadpool(self._find, digits)

    async def store(self, digits: str, found: schemas.Address) -> None:
        async with asyncio.timeout(STORE_LIMIT_S):
            # The thread goes on where the wait ends.
            await to_thread.run_sync(self._store, digits, found, abandon_on_cancel=True)

    def _find(self, digits: str) -> schemas.Address | None:
        with Session(self._engine) as session:
            return address(session.scalar(SELECT, {"digits": digits}))

    def _store(self, digits: str, found: schemas.Address) -> None:
        with Session(self._engine) as session:
            session.execute(INSERT, values(digits, found))
            session.commit()


def values(digits: str, found: schemas.Address) -> dict[str, Any]:
    return {"digits": digits, **found.model_dump()}


def address(row: models.Logradouro | None) -> schemas.Address | None:
    if row is None:
        return None
    return schemas.Address(
        cep=f"{row.cep[:5]}-{row.cep[5:]}",
        logradouro=row.logradouro,
        complemento=row.complemento,
        bairro=row.bairro and row.bairro.nome,
        cidade=row.cidade.nome,
        uf=row.cidade.estado.uf,
        estado=row.cidade.estado.nome,
        ibge=row.cidade.ibge,
        provider="database",
    )
