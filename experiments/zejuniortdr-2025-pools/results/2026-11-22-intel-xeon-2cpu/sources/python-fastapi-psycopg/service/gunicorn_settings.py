"""gunicorn's own settings, from the same environment."""

from service import settings

bind = f"{settings.HOST}:{settings.PORT}"
workers = settings.WORKERS
worker_class = "uvicorn_worker.UvicornWorker"
keepalive = settings.KEEP_ALIVE_S
graceful_timeout = 1
accesslog = "-" if settings.LOG_REQUESTS else None
