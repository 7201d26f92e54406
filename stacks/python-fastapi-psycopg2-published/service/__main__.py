"""Serves the application until SIGTERM."""

import uvicorn

from service import settings

uvicorn.run(
    "service.app:app",
    host=settings.HOST,
    port=settings.PORT,
    workers=settings.WORKERS,
    loop=settings.EVENT_LOOP,
    access_log=settings.LOG_REQUESTS,
    timeout_keep_alive=settings.KEEP_ALIVE_S,
    timeout_graceful_shutdown=1,
)
