"""The ASGI application, with no framework: the body read, the route found, the answer sent."""

from service.routes import route


async def app(scope, receive, send) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    body = await read_body(receive)
    answer = await route(scope["method"], scope["path"], scope["query_string"], body)
    headers = [
        (b"content-type", answer.content_type),
        (b"content-length", b"%d" % len(answer.body)),
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


async def read_body(receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return body
