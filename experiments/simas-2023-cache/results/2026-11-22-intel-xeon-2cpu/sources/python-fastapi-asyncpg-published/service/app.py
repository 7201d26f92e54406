"""The application: its routes and the life of the connection pool."""

from contextlib import asynccontextmanager

from fastapi import FastAPI, Request

from service import database, json_large, movies_list, settings


@asynccontextmanager
async def lifespan(app: FastAPI):
    if settings.DATABASE_URL is None:
        yield
        return
    async with database.pool(settings.DATABASE_URL) as app.state.pool:
        yield


app = FastAPI(lifespan=lifespan)
app.include_router(json_large.router)
if settings.DATABASE_URL is not None:
    app.include_router(movies_list.router)


@app.get("/health")
async def health(request: Request):
    if settings.DATABASE_URL is not None:
        await request.app.state.pool.execute("SELECT 1")
