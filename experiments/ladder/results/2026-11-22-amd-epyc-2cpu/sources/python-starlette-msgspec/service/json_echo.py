"""`POST /user`: a user parsed into a typed record and answered."""

from typing import Annotated

import msgspec
from starlette.requests import Request
from starlette.responses import Response

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class User(msgspec.Struct):
    id: Int64
    name: str
    email: str


decoder = msgspec.json.Decoder(User)
encoder = msgspec.json.Encoder()


async def echo(request: Request) -> Response:
    try:
        user = decoder.decode(await request.body())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Response(str(error), status_code=400, media_type="text/plain")
    return Response(encoder.encode(user), media_type="application/json")
