"""`POST /user`: a user parsed into a typed record and answered."""

from typing import Annotated

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response

Int64 = Annotated[int, Field(strict=True, ge=-(2**63), le=2**63 - 1)]


class User(BaseModel):
    id: Int64
    name: str
    email: str


async def echo(request: Request) -> Response:
    try:
        user = User.model_validate_json(await request.body())
    except ValidationError as error:
        return Response(str(error), status_code=400, media_type="text/plain")
    return Response(user.model_dump_json(), media_type="application/json")
