"""Opens the port and serves it, from one process or from several that share it."""

import multiprocessing
import signal
import socket
import sys
from multiprocessing.connection import wait

import uvloop

from service import settings
from service.server import serve


def main() -> None:
    listener = socket.create_server((settings.HOST, settings.PORT), backlog=2048)
    if settings.WORKERS == 1:
        uvloop.run(serve(listener))
    else:
        supervise(listener)


def supervise(listener: socket.socket) -> None:
    """Starts the workers; when one ends, or on SIGTERM, ends them all."""
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(listener,)) for _ in range(settings.WORKERS)]

    def stop(*_) -> None:
        for worker in workers:
            worker.terminate()

    for worker in workers:
        worker.start()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)
    wait([worker.sentinel for worker in workers])
    stop()
    for worker in workers:
        worker.join()
    sys.exit(any(worker.exitcode for worker in workers))


def work(listener: socket.socket) -> None:
    uvloop.run(serve(listener))


if __name__ == "__main__":
    main()
