"""`POST /user`: a user parsed into a typed record and answered."""

from typing import Annotated

from blacksheep import FromJSON, Response, json
from pydantic import BaseModel, Field

Int64 = Annotated[int, Field(strict=True, ge=-(2**63), le=2**63 - 1)]
# With any constraint Pydantic refuses a lone surrogate, which could not be encoded.
Text = Annotated[str, Field(min_length=0)]


class User(BaseModel):
    id: Int64
    name: Text
    email: Text


async def echo(user: FromJSON[User]) -> Response:
    return json(user.value)
