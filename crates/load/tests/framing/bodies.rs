//! Where bodies end.

use load::http1::{Framer, Malformed, Progress};

use super::verdict::{Broken, Truncated, Verdict, check, check_all, closes, last, whole};

#[test]
fn a_content_length_says_where_the_answer_ends() {
    let surplus = Verdict::Whole {
        status: 200,
        body: b"ok".to_vec(),
        persistent: true,
        surplus: 3,
    };
    check_all(&[
        (
            "usual",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "empty",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            whole(200, ""),
        ),
        (
            "any case",
            "HTTP/1.1 200 OK\r\ncONTENT-lENGTH:2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "blanks around",
            "HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "leading zeros",
            "HTTP/1.1 200 OK\r\nContent-Length: 002\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "said twice alike",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "a list of the same",
            "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "another field",
            "HTTP/1.1 200 OK\r\nX-Content-Length: 9\r\nContent-Length: 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "surplus",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok+++",
            surplus,
        ),
        (
            "cut",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
            Truncated,
        ),
        (
            "nothing of it",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
            Truncated,
        ),
        (
            "bare newlines",
            "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
            whole(200, "ok"),
        ),
    ]);
}

#[test]
fn a_content_length_that_is_not_one_number_is_malformed() {
    for value in [
        "",
        "x",
        "-1",
        "+2",
        "2x",
        "0x2",
        "2 3",
        "2, 3",
        "2,",
        ",2",
        "1e1",
        "18446744073709551616",
        "2;2",
    ] {
        let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\nok");
        check(
            value,
            text.as_bytes(),
            false,
            &Broken(Malformed::ContentLength),
        );
    }
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok";
    check(
        "two that differ",
        text.as_bytes(),
        false,
        &Broken(Malformed::ContentLength),
    );
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn chunks_are_joined() {
    for (name, chunks, body) in [
        ("one", "2\r\nok\r\n0\r\n\r\n", "ok"),
        ("none", "0\r\n\r\n", ""),
        ("several", "1\r\no\r\n1\r\nk\r\n0\r\n\r\n", "ok"),
        (
            "upper and lower case",
            "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
            "01234567890123456789",
        ),
        ("leading zeros", "0002\r\nok\r\n000\r\n\r\n", "ok"),
        ("newlines inside", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
        ("an extension", "2;a\r\nok\r\n0\r\n\r\n", "ok"),
        (
            "an extension with a value",
            "2;a=b;c=\"d e\"\r\nok\r\n0;last\r\n\r\n",
            "ok",
        ),
        (
            "blanks before the extension",
            "2 ; a\r\nok\r\n0\r\n\r\n",
            "ok",
        ),
        ("blanks after the size", "2 \r\nok\r\n0\r\n\r\n", "ok"),
        ("a trailer", "2\r\nok\r\n0\r\nA: b\r\n\r\n", "ok"),
        ("two trailers", "2\r\nok\r\n0\r\nA: b\r\nC:\r\n\r\n", "ok"),
    ] {
        check(
            name,
            format!("{CHUNKED}{chunks}").as_bytes(),
            false,
            &whole(200, body),
        );
    }
}

#[test]
fn broken_chunks_are_malformed() {
    for (name, chunks) in [
        ("no size", "\r\nok\r\n0\r\n\r\n"),
        ("not hexadecimal", "g\r\n"),
        ("a sign", "-2\r\nok\r\n"),
        ("a prefix", "0x2\r\nok\r\n"),
        ("a blank first", " 2\r\nok\r\n"),
        ("too long a size", "11111111111111111\r\n"),
        ("a bare newline after the size", "2\nok\r\n0\r\n\r\n"),
        ("a return alone", "2\rXok\r\n"),
        ("data longer than the size", "2\r\nokk\r\n0\r\n\r\n"),
        ("data shorter than the size", "3\r\nok\r\n0\r\n\r\n"),
        ("no newline after data", "2\r\nok0\r\n\r\n"),
        ("a bare newline after data", "2\r\nok\n0\r\n\r\n"),
        ("a trailer without a name", "0\r\n: b\r\n\r\n"),
        ("a trailer without a colon", "0\r\nab\r\n\r\n"),
        ("a trailer that is folded", "0\r\nA: b\r\n c\r\n\r\n"),
        ("a bare newline at the end", "0\r\n\n"),
        ("a control character in an extension", "2;\x01\r\nok\r\n"),
    ] {
        check(
            name,
            format!("{CHUNKED}{chunks}").as_bytes(),
            false,
            &Broken(Malformed::Chunk),
        );
    }
}

#[test]
fn chunks_that_stop_are_truncated() {
    for chunks in [
        "",
        "2",
        "2\r",
        "2\r\n",
        "2\r\no",
        "2\r\nok",
        "2\r\nok\r\n",
        "2\r\nok\r\n0",
        "0\r\n",
        "0\r\n\r",
        "0\r\nA: b",
    ] {
        check(
            chunks,
            format!("{CHUNKED}{chunks}").as_bytes(),
            false,
            &Truncated,
        );
    }
}

#[test]
fn a_transfer_coding_is_read_as_the_standard_says() {
    let with = |fields: &str, body: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{body}");
    let chunks = "2\r\nok\r\n0\r\n\r\n";
    for (fields, body, expected) in [
        ("Transfer-Encoding: CHUNKED", chunks, whole(200, "ok")),
        ("Transfer-Encoding: gzip, chunked", chunks, whole(200, "ok")),
        (
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
            chunks,
            whole(200, "ok"),
        ),
        ("Transfer-Encoding: gzip", "ok", closes(200, "ok")),
        // Both: the coding counts, and the connection is not trusted any further.
        (
            "Transfer-Encoding: chunked\r\nContent-Length: 9",
            chunks,
            last(200, "ok"),
        ),
        (
            "Content-Length: 9\r\nTransfer-Encoding: chunked",
            chunks,
            last(200, "ok"),
        ),
        (
            "Transfer-Encoding: chunked, gzip",
            chunks,
            Broken(Malformed::TransferEncoding),
        ),
        (
            "Transfer-Encoding: chunked, chunked",
            chunks,
            Broken(Malformed::TransferEncoding),
        ),
        (
            "Transfer-Encoding:",
            chunks,
            Broken(Malformed::TransferEncoding),
        ),
    ] {
        check(fields, with(fields, body).as_bytes(), false, &expected);
    }
}

#[test]
fn without_a_length_the_close_is_the_end() {
    check_all(&[
        (
            "a body",
            "HTTP/1.1 200 OK\r\n\r\nall of it",
            closes(200, "all of it"),
        ),
        ("none", "HTTP/1.1 200 OK\r\n\r\n", closes(200, "")),
        ("1.0", "HTTP/1.0 200 OK\r\n\r\nold", closes(200, "old")),
    ]);
}

#[test]
fn some_answers_have_no_body_whatever_they_say() {
    for status in [204, 304] {
        let text = format!("HTTP/1.1 {status} X\r\nContent-Length: 5\r\n\r\n");
        check("with a length", text.as_bytes(), false, &whole(status, ""));
        let text = format!("HTTP/1.1 {status} X\r\nTransfer-Encoding: chunked\r\n\r\n");
        check("chunked", text.as_bytes(), false, &whole(status, ""));
        let text = format!("HTTP/1.1 {status} X\r\n\r\n");
        check("bare", text.as_bytes(), false, &whole(status, ""));
    }
    for field in [
        "Content-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\n",
        "",
    ] {
        let text = format!("HTTP/1.1 200 OK\r\n{field}\r\n");
        check("to HEAD", text.as_bytes(), true, &whole(200, ""));
        let text =
            format!("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n{field}\r\n");
        check("another protocol", text.as_bytes(), false, &last(101, ""));
    }
}

#[test]
fn skipped_bytes_count_like_those_seen() {
    let mut framer = Framer::default();
    framer.start(false);
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nabc";
    assert_eq!(framer.take(head, &mut ()), Ok(Progress::Partial));
    assert_eq!(framer.body_bytes_ahead(), 99_997);
    assert_eq!(framer.skip(99_996), Progress::Partial);
    assert_eq!(framer.skip(1), Progress::Done { taken: 0 });
    assert_eq!(framer.body_bytes(), 100_000);
}

#[test]
fn one_connection_carries_answer_after_answer() {
    let mut framer = Framer::default();
    for body in ["", "a", "bc"] {
        let text = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        framer.start(false);
        let mut seen = Vec::new();
        let progress = framer.take(text.as_bytes(), &mut seen);
        assert_eq!(progress, Ok(Progress::Done { taken: text.len() }));
        assert_eq!(seen, body.as_bytes());
    }
}
