//! The server: connections, and the request line of each request. Headers are skipped, not read.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::hello;

const REQUEST_LIMIT: usize = 16 * 1024;

const HEALTHY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const NOT_FOUND: &[u8] =
    b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const NOT_ALLOWED: &[u8] =
    b"HTTP/1.1 405 Method Not Allowed\r\nallow: GET\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const TOO_LARGE: &[u8] =
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

pub async fn accept(listener: TcpListener) -> anyhow::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let _ = stream.set_nodelay(true);
        tokio::spawn(serve(stream));
    }
}

/// Answers the requests of one connection, as many as each read brings.
async fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let mut received = Vec::with_capacity(4096);
    let mut answers = Vec::with_capacity(4096);
    loop {
        if stream.read_buf(&mut received).await? == 0 {
            return Ok(());
        }
        let mut close = false;
        while let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let reply = answer(&received[..end]);
            answers.extend_from_slice(reply.bytes);
            received.drain(..end + 4);
            if reply.close {
                close = true;
                break;
            }
        }
        if !close && received.len() > REQUEST_LIMIT {
            answers.extend_from_slice(TOO_LARGE);
            close = true;
        }
        stream.write_all(&answers).await?;
        answers.clear();
        if close {
            return stream.shutdown().await;
        }
    }
}

struct Reply {
    bytes: &'static [u8],
    /// Where the request may have a body, which nothing here would skip.
    close: bool,
}

fn answer(head: &[u8]) -> Reply {
    let mut line = head.split(|&byte| byte == b' ' || byte == b'\r');
    let method = line.next().unwrap_or_default();
    let target = line.next().unwrap_or_default();
    let path = target.split(|&byte| byte == b'?').next();
    let (bytes, close) = match (path, method) {
        (Some(b"/hello"), b"GET") => (hello::ANSWER, false),
        (Some(b"/health"), b"GET") => (HEALTHY, false),
        (Some(b"/hello" | b"/health"), _) => (NOT_ALLOWED, true),
        _ => (NOT_FOUND, true),
    };
    Reply { bytes, close }
}
