"""What a deployer sets, from the environment alone."""

import os

HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8000"))
WORKERS = int(os.environ.get("WORKERS", "1"))
LOG_REQUESTS = os.environ.get("LOG_REQUESTS", "0") == "1"
KEEP_ALIVE_S = int(os.environ.get("KEEP_ALIVE_S", "5"))
EVENT_LOOP = os.environ.get("EVENT_LOOP", "auto")

# Absent: the routes that need it are not served.
DATABASE_URL = os.environ.get("DATABASE_URL")
# Connections of the whole service, shared out over its worker processes.
DB_POOL_SIZE = int(os.environ.get("DB_POOL_SIZE", "100"))
DB_POOL_IDLE = int(os.environ.get("DB_POOL_IDLE", "1"))
