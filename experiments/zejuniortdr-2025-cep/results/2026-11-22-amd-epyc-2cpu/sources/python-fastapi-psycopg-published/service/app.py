"""The application: its routes, the connection pool and the client of ViaCEP."""

from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI, Request

from service import cep_lookup, database, settings


@asynccontextmanager
async def lifespan(app: FastAPI):
    async with (
        database.pool(settings.DATABASE_URL) as app.state.pool,
        httpx.AsyncClient() as app.state.http,
    ):
        yield


app = FastAPI(lifespan=lifespan)
app.include_router(cep_lookup.router)


@app.get("/health")
async def health(request: Request):
    async with request.app.state.pool.connection() as connection:
        await connection.execute("SELECT 1")
