"""The application: its routes."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from service import fibonacci, hello, json_echo, json_large, wait

app = FastAPI()
for workload in (hello, wait, fibonacci, json_echo, json_large):
    app.include_router(workload.router)


@app.get("/health")
async def health() -> None:
    return None


@app.exception_handler(RequestValidationError)
async def refuse(request: Request, error: RequestValidationError) -> JSONResponse:
    """Answers an ill-typed request like a malformed one; the default would be 422."""
    reasons = [{"at": reason["loc"], "reason": reason["msg"]} for reason in error.errors()]
    return JSONResponse({"detail": reasons}, status_code=400)
