"""`GET /hello`: the answer, ready to send."""

ANSWER = (
    b"HTTP/1.1 200 OK\r\n"
    b"content-type: text/plain; charset=utf-8\r\n"
    b"content-length: 12\r\n"
    b"\r\n"
    b"Hello, World"
)
