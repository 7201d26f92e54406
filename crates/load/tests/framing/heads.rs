//! Status lines and header fields.

use load::http1::Malformed;

use super::verdict::{Broken, NoHead, check, check_all, frame, last, whole};

#[test]
fn interim_answers_are_passed_over() {
    let end = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for interim in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 102 X\r\nContent-Length: 7\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\n\r\n",
    ] {
        check(
            interim,
            format!("{interim}{end}").as_bytes(),
            false,
            &whole(200, "ok"),
        );
        check(interim, interim.as_bytes(), false, &NoHead);
    }
}

#[test]
fn a_connection_persists_as_version_and_field_say() {
    let answer = |version: &str, field: &str| {
        format!("HTTP/{version} 200 OK\r\n{field}Content-Length: 2\r\n\r\nok")
    };
    for (version, field, persists) in [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: Close\r\n", false),
        ("1.1", "Connection: x, close\r\n", false),
        ("1.1", "Connection: keep-alive\r\n", true),
        ("1.1", "Connection: closed\r\n", true),
        ("1.0", "", false),
        ("1.0", "Connection: keep-alive\r\n", true),
        ("1.0", "Connection: Keep-Alive, close\r\n", false),
        (
            "1.1",
            "Connection: close\r\nConnection: keep-alive\r\n",
            false,
        ),
        (
            "1.1",
            "Connection: keep-alive\r\nConnection: close\r\n",
            false,
        ),
        ("1.0", "Connection: x\r\nConnection: keep-alive\r\n", true),
    ] {
        let expected = if persists {
            whole(200, "ok")
        } else {
            last(200, "ok")
        };
        check(field, answer(version, field).as_bytes(), false, &expected);
    }
}

#[test]
fn every_form_of_status_line_is_read() {
    let rest = "Content-Length: 2\r\n\r\nok";
    for (line, status) in [
        ("HTTP/1.1 200 OK", 200),
        ("HTTP/1.1 200", 200),
        ("HTTP/1.1 200 ", 200),
        ("HTTP/1.1 404 Not Found at all", 404),
        ("HTTP/1.1 599 \u{e9}", 599),
        ("HTTP/1.1 999 X", 999),
        ("HTTP/1.1 200 tab\there", 200),
    ] {
        check(
            line,
            format!("{line}\r\n{rest}").as_bytes(),
            false,
            &whole(status, "ok"),
        );
    }
}

#[test]
fn what_is_not_a_head_is_malformed() {
    for text in [
        "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 000 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1200 OK\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.2 200 OK\r\n\r\n",
        "HTTP/1.11 200 OK\r\n\r\n",
        "HTTPS/1.1 200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "SSH-2.0-X\r\n",
        "<html>\r\n\r\n",
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
        "HTTP/1.1 200 OK\r\nBlank : before colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nIn the middle: of a name\r\n\r\n",
        "HTTP/1.1 200 OK\r\n folded: at once\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
        "HTTP/1.1 200 OK\rA: b\r\n\r\n",
    ] {
        check(text, text.as_bytes(), false, &Broken(Malformed::Head));
    }
}

#[test]
fn values_that_go_on_in_the_next_line_are_read() {
    check_all(&[
        (
            "of a field nobody reads",
            "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\nContent-Length: 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "twice, the last line blank",
            "HTTP/1.1 200 OK\r\nA: b\r\n\tfolded\r\n \r\nContent-Length: 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "a length",
            "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok",
            whole(200, "ok"),
        ),
        (
            "a length cut in two",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\nok",
            Broken(Malformed::ContentLength),
        ),
        (
            "a list of codings",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip,\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            whole(200, "ok"),
        ),
        (
            "a list of options",
            "HTTP/1.1 200 OK\r\nConnection: x,\r\n close\r\nContent-Length: 2\r\n\r\nok",
            last(200, "ok"),
        ),
    ]);
}

#[test]
fn a_close_before_the_head_is_no_answer() {
    for text in [
        "",
        "H",
        "HTTP/1.1",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n\r",
    ] {
        check(text, text.as_bytes(), false, &NoHead);
    }
}

#[test]
fn heads_are_taken_up_to_their_limit() {
    let fields = |count: usize, length: usize| {
        let field = format!("X: {}\r\n", "y".repeat(length));
        format!(
            "HTTP/1.1 200 OK\r\n{}Content-Length: 2\r\n\r\nok",
            field.repeat(count)
        )
    };
    for (count, length, expected) in [
        (65, 1, whole(200, "ok")),
        (1_000, 20, whole(200, "ok")),
        (1, 200_000, whole(200, "ok")),
        (2_100, 1, Broken(Malformed::HeadTooLarge)),
        (1, 300_000, Broken(Malformed::HeadTooLarge)),
        (300, 1_000, Broken(Malformed::HeadTooLarge)),
    ] {
        let text = fields(count, length).into_bytes();
        for size in [1_000, 4_096, 65_536] {
            assert_eq!(
                frame(text.chunks(size), false),
                expected,
                "{count} × {length} by {size}"
            );
        }
        // Byte by byte must not take the square of the length.
        assert_eq!(
            frame(text.chunks(1), false),
            expected,
            "{count} × {length} by 1"
        );
    }
}
