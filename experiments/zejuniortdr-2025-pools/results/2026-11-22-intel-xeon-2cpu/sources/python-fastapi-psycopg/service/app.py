"""The application: its routes and the life of the connection pool."""

from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from service import (
    cep_lookup,
    database,
    fibonacci,
    hello,
    json_echo,
    json_large,
    movies_list,
    select_one,
    settings,
    users_list,
    users_one,
    wait,
)
from service.viacep import ViaCep

LOOKS_UP = settings.DATABASE_URL is not None and settings.VIACEP_URL is not None


@asynccontextmanager
async def lifespan(app: FastAPI):
    async with AsyncExitStack() as stack:
        if settings.DATABASE_URL is not None:
            pool = await stack.enter_async_context(database.pool(settings.DATABASE_URL))
            app.state.pool = pool
        if LOOKS_UP:
            viacep = ViaCep(settings.VIACEP_URL)
            stack.push_async_callback(viacep.close)
            app.state.lookup = cep_lookup.Lookup(pool, viacep)
        yield


# A path with another slash at its end is another path.
app = FastAPI(lifespan=lifespan, redirect_slashes=False)
for workload in (hello, wait, fibonacci, json_echo, json_large):
    app.include_router(workload.router)
if settings.DATABASE_URL is not None:
    for workload in (select_one, users_one, users_list, movies_list):
        app.include_router(workload.router)
if LOOKS_UP:
    app.include_router(cep_lookup.router)


@app.get("/health")
async def health(request: Request) -> None:
    if settings.DATABASE_URL is not None:
        async with request.app.state.pool.connection() as connection:
            await connection.execute("SELECT 1")


@app.exception_handler(RequestValidationError)
async def refuse(request: Request, error: RequestValidationError) -> JSONResponse:
    """Answers an ill-typed request like a malformed one; the default would be 422."""
    reasons = [{"at": reason["loc"], "reason": reason["msg"]} for reason in error.errors()]
    return JSONResponse({"detail": reasons}, status_code=400)
