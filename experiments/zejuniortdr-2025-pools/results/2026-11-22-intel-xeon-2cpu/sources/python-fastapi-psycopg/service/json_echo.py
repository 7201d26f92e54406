"""`POST /user`: a user parsed into a typed record and answered."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

Int64 = Annotated[int, Field(strict=True, ge=-(2**63), le=2**63 - 1)]
# With any constraint Pydantic refuses a lone surrogate, which it could not serialise.
Text = Annotated[str, Field(min_length=0)]

router = APIRouter()


class User(BaseModel):
    id: Int64
    name: Text
    email: Text


@router.post("/user")
async def echo(user: User) -> User:
    return user
