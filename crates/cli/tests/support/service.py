"""A service of the standard library alone, for tests of what is made of it."""

import itertools
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


COUNTER = itertools.count()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/healthz":
            self.answer(200, "ready")
        elif path == "/users/7":
            self.answer(200, {"id": 7, "name": "José"})
        elif path == "/clock":
            self.answer(200, next(COUNTER))
        else:
            self.answer(404, None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.answer(201, {"made": json.loads(body)["name"]})
        except (ValueError, TypeError, KeyError):
            self.answer(400, None)

    def refuse(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(405, None)

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = refuse

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
