"""Serves until SIGTERM, which ends the process at once."""

import uvloop

from service import settings
from service.server import serve

if settings.WORKERS != 1:
    raise SystemExit(f"WORKERS={settings.WORKERS}: this service is one process; set WORKERS=1")
uvloop.run(serve(settings.HOST, settings.PORT))
