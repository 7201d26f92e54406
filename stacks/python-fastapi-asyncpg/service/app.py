"""The application: its routes and the life of the connection pool."""

from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from service import database, json_echo, settings, users_list


@asynccontextmanager
async def lifespan(app: FastAPI):
    if settings.DATABASE_URL is None:
        yield
        return
    async with database.pool(settings.DATABASE_URL) as app.state.pool:
        yield


app = FastAPI(lifespan=lifespan)
app.include_router(json_echo.router)
if settings.DATABASE_URL is not None:
    app.include_router(users_list.router)


@app.get("/health")
async def health(request: Request) -> None:
    if settings.DATABASE_URL is not None:
        await request.app.state.pool.execute("SELECT 1")


@app.exception_handler(RequestValidationError)
async def refuse(request: Request, error: RequestValidationError) -> JSONResponse:
    """Answers an ill-typed request like a malformed one; the default would be 422."""
    reasons = [
        {"at": reason["loc"], "reason": reason["msg"]} for reason in error.errors()
    ]
    return JSONResponse({"detail": reasons}, status_code=400)
