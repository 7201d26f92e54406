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
    """A body too deep for the parser, or one that cannot be quoted back, is a bad request too."""
    return bad_request("the body is not a user")


app = Application()
app.exceptions_handlers[ValidationError] = refuse
app.exceptions_handlers[RecursionError] = refuse
app.router.add_get("/health", health)
app.router.add_get("/hello", hello)
app.router.add_get("/async", wait)
app.router.add_get("/fibonacci", answer)
app.router.add_post("/user", echo)
app.router.add_get("/cache", movies)
app.router.fallback = not_routed
