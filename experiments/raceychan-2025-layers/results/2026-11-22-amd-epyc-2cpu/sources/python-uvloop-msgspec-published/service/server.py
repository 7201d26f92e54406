"""One read is one request, and its last line is the body: nothing else of HTTP is looked at."""

import asyncio

from service.json_echo import echo

READ_BYTES = 200

HEALTHY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


async def serve(host: str, port: int) -> None:
    server = await asyncio.start_server(converse, host, port)
    async with server:
        await server.serve_forever()


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while request := await reader.read(READ_BYTES):
        writer.write(answer(request))
        await writer.drain()
    writer.close()


def answer(request: bytes) -> bytes:
    if request.startswith(b"GET /health "):
        return HEALTHY
    *_, body = request.split(b"\r\n")
    return echo(body)
