"""The routes: method and path to handler."""

from service.answers import Answer, refusal, text
from service.fibonacci import answer
from service.hello import hello
from service.json_echo import echo
from service.json_large import movies
from service.wait import wait


async def health(query: bytes, body: bytes) -> Answer:
    return text("OK")


ROUTES = {
    "/health": ("GET", health),
    "/hello": ("GET", hello),
    "/async": ("GET", wait),
    "/fibonacci": ("GET", answer),
    "/user": ("POST", echo),
    "/cache": ("GET", movies),
}


async def route(method: str, path: str, query: bytes, body: bytes) -> Answer:
    found = ROUTES.get(path)
    if found is None:
        return refusal(404, "Not Found")
    allowed, handler = found
    if method != allowed:
        return refusal(405, "Method Not Allowed")
    return await handler(query, body)
