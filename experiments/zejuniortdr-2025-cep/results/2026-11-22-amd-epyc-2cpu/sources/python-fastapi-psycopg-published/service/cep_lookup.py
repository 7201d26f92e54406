"""`GET /api/v1/cep/{cep}`: the stored row, or else what ViaCEP said, as it said it."""

import httpx
from fastapi import APIRouter, HTTPException, Request
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from service.settings import VIACEP_URL

SELECT = "SELECT * FROM ceps WHERE cep = %s"
COLUMNS = [
    "cep",
    "logradouro",
    "complemento",
    "bairro",
    "localidade",
    "uf",
    "ibge",
    "gia",
    "ddd",
    "siafi",
]
INSERT = f"""
    INSERT INTO ceps ({", ".join(COLUMNS)}) VALUES ({", ".join(["%s"] * len(COLUMNS))})
    ON CONFLICT (cep) DO NOTHING
"""

router = APIRouter()


@router.get("/api/v1/cep/{cep}")
async def look_up(cep: str, request: Request):
    digits = cep.replace("-", "")
    # Digits of any script pass, and hyphens anywhere.
    if len(digits) != 8 or not digits.isdigit():
        raise HTTPException(400, "CEP inválido")
    state = request.app.state
    return await stored(state.pool, digits) or await fetched(state.http, state.pool, digits)


async def stored(pool: AsyncConnectionPool, digits: str) -> dict | None:
    async with pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SELECT, (digits,))
        return await cursor.fetchone()


async def fetched(http: httpx.AsyncClient, pool: AsyncConnectionPool, digits: str) -> dict:
    try:
        response = await http.get(f"{VIACEP_URL}/{digits}/json/")
        response.raise_for_status()
    except httpx.HTTPError as error:
        raise HTTPException(503, f"Erro ao consultar ViaCEP: {error}") from error
    address = response.json()
    if "erro" in address:
        raise HTTPException(404, "CEP não encontrado")
    await store(pool, address)
    return address


async def store(pool: AsyncConnectionPool, address: dict) -> None:
    row = {**address, "cep": address["cep"].replace("-", "")}
    async with pool.connection() as connection:
        await connection.execute(INSERT, [row.get(column, "") for column in COLUMNS])
