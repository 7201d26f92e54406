"""The client of ViaCEP, one for the process."""

import asyncio

import httpx
from pydantic import BaseModel

CONNECT_LIMIT_S = 1.0
# Of a whole call, waiting for its turn included.
CALL_LIMIT_S = 3.0
CALLS_AT_ONCE = 32


class Unavailable(Exception):
    """ViaCEP failed, was late, or said something that is not an answer."""


class Record(BaseModel):
    cep: str
    logradouro: str
    complemento: str
    bairro: str
    localidade: str
    uf: str
    estado: str
    ibge: str


class ViaCep:
    def __init__(self, url: str) -> None:
        self._client = httpx.AsyncClient(
            base_url=url,
            timeout=httpx.Timeout(CALL_LIMIT_S, connect=CONNECT_LIMIT_S),
            limits=httpx.Limits(max_connections=CALLS_AT_ONCE),
            trust_env=False,
        )
        self._turns = asyncio.Semaphore(CALLS_AT_ONCE)

    async def close(self) -> None:
        await self._client.aclose()

    async def record(self, cep: str) -> Record | None:
        """What ViaCEP has of eight digits, or that it has nothing. All else is `Unavailable`, never "nothing"."""
        try:
            async with asyncio.timeout(CALL_LIMIT_S), self._turns:
                response = await self._client.get(f"/ws/{cep}/json/")
            body = response.raise_for_status().json()
            # Documented as true; since 2022 it has been "true".
            if body.get("erro") in (True, "true"):
                return None
            record = Record.model_validate(body)
        except (httpx.HTTPError, TimeoutError, ValueError, AttributeError) as error:
            raise Unavailable(f"{type(error).__name__}: {error}") from error
        if record.cep.replace("-", "") != cep:
            raise Unavailable(f"asked for {cep}, answered {record.cep}")
        return record
