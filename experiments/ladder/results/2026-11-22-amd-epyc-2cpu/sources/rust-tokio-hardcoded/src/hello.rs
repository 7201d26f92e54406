//! `GET /hello`: the answer, ready to send.

pub const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\n\
    content-type: text/plain; charset=utf-8\r\n\
    content-length: 12\r\n\
    \r\n\
    Hello, World";
