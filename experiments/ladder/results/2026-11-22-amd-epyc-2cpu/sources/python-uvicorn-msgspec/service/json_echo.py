"""`POST /user`: a user parsed into a typed record and answered."""

from typing import Annotated

import msgspec

from service.answers import Answer, json, refusal

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class User(msgspec.Struct):
    id: Int64
    name: str
    email: str


decoder = msgspec.json.Decoder(User)


async def echo(query: bytes, body: bytes) -> Answer:
    try:
        user = decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return refusal(400, str(error))
    return json(user)
