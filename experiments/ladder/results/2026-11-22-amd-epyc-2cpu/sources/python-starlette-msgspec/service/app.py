"""The application: its routes."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from service.fibonacci import answer
from service.hello import hello
from service.json_echo import echo
from service.json_large import movies
from service.wait import wait


async def health(request: Request) -> Response:
    return Response()


app = Starlette(
    routes=[
        Route("/health", health),
        Route("/hello", hello),
        Route("/async", wait),
        Route("/fibonacci", answer),
        Route("/user", echo, methods=["POST"]),
        Route("/cache", movies),
    ]
)
