"""The application: its routes and the life of the connection pool."""

from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from service import (
    database,
    fibonacci,
    health,
    hello,
    json_echo,
    json_large,
    movies_list,
    settings,
    users_list,
    wait,
)


@asynccontextmanager
async def lifespan(app: FastAPI):
    if settings.DATABASE_URL is None:
        yield
    elif settings.DATABASE_API == "sync":
        with database.sync_engine(settings.DATABASE_URL) as app.state.engine:
            yield
    else:
        async with database.async_engine(settings.DATABASE_URL) as app.state.engine:
            yield


app = FastAPI(lifespan=lifespan)
for workload in (hello, wait, fibonacci, json_echo, json_large):
    app.include_router(workload.router)
if settings.DATABASE_URL is None:
    app.include_router(health.router)
else:
    sync = settings.DATABASE_API == "sync"
    for part in (health, users_list, movies_list):
        app.include_router(part.sync_router if sync else part.async_router)


@app.exception_handler(RequestValidationError)
async def refuse(request: Request, error: RequestValidationError) -> JSONResponse:
    """Answers an ill-typed request like a malformed one; the default would be 422."""
    reasons = [{"at": reason["loc"], "reason": reason["msg"]} for reason in error.errors()]
    return JSONResponse({"detail": reasons}, status_code=400)
