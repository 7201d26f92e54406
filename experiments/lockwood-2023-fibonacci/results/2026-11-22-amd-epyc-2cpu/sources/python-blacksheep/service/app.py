"""The application: its routes."""

from blacksheep import Application, Request, Response
from blacksheep.server.responses import bad_request, not_found, ok, status_code
from pydantic import ValidationError

from service.fibonacci import answer
from service.hello import hello
from service.json_echo import echo
from service.json_large import movies
from service.wait import wait


async def health() -> Response:
    return ok()


async def not_routed(request: Request) -> Response:
    """BlackSheep answers a wrong method 404; that is 405 where the path exists."""
    for method in list(app.router.routes):
        if app.router.get_matching_route(method, request.path):
            return status_code(405)
    return not_found()


async def refuse(app: Application, request: Request, error: Exception) -> Response:
    """A body too deep for the parser is a bad request too, and no bad body is quoted back."""
    return bad_request("the request is not what this path takes")


app = Application()
for refused in (400, ValidationError, RecursionError):
    app.exceptions_handlers[refused] = refuse
app.router.add_get("/health", health)
app.router.add_get("/hello", hello)
app.router.add_get("/async", wait)
app.router.add_get("/fibonacci", answer)
app.router.add_post("/user", echo)
app.router.add_get("/cache", movies)
app.router.fallback = not_routed
