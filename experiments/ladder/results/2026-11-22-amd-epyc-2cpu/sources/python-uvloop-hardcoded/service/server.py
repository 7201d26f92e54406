"""Serves a listening socket until SIGTERM."""

import asyncio
import signal
import socket

from service.connection import Connection

GRACE_S = 1.0


async def serve(listener: socket.socket) -> None:
    connections: set[Connection] = set()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)

    server = await loop.create_server(lambda: Connection(connections), sock=listener)
    await stop.wait()
    server.close()
    for connection in list(connections):
        connection.finish()
    # A client that does not read its answer must not keep the service alive.
    deadline = loop.time() + GRACE_S
    while connections and loop.time() < deadline:
        await asyncio.sleep(0.01)
