//! The chunked coding (RFC 9112, section 7.1), as a state machine over bytes.

use super::Malformed;

/// Longest chunk extension, and longest trailer section, accepted.
const LINE_BYTES_MAX: u32 = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the digits of a size; how many have been seen.
    Size(u8),
    /// After the digits, before the carriage return.
    Extension,
    SizeNewline,
    Data,
    DataReturn,
    DataNewline,
    /// At the start of a trailer line, or of the empty line that ends the message.
    TrailerStart,
    /// In the name of a trailer field, before the colon.
    TrailerName,
    TrailerValue,
    TrailerNewline,
    LastNewline,
}

/// Where in the coding we are.
#[derive(Debug)]
pub(super) struct Chunked {
    state: State,
    /// Bytes left of the current chunk; while in `Size`, the size so far.
    left: u64,
    /// Bytes of extension or trailer so far.
    line: u32,
}

impl Default for Chunked {
    fn default() -> Chunked {
        Chunked {
            state: State::Size(0),
            left: 0,
            line: 0,
        }
    }
}

/// What a piece of input led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// All of it was framing, and more is needed.
    Partial,
    /// Bytes `from..to` are data; what follows has not been looked at.
    Data { from: usize, to: usize },
    /// The message ended after `count` bytes.
    Done { count: usize },
}

impl Chunked {
    /// Bytes to come that are data.
    pub fn data_ahead(&self) -> u64 {
        if self.state == State::Data {
            self.left
        } else {
            0
        }
    }

    /// Takes note of data bytes that were thrown away unseen.
    pub fn skip(&mut self, count: u64) {
        self.left -= count;
        if self.left == 0 {
            self.state = State::DataReturn;
        }
    }

    /// Takes bytes up to the end of a stretch of data, of the message, or of the input.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Step, Malformed> {
        for (place, &byte) in bytes.iter().enumerate() {
            if self.state == State::Data {
                let there = (bytes.len() - place) as u64;
                let count = self.left.min(there);
                self.skip(count);
                return Ok(Step::Data {
                    from: place,
                    to: place + count as usize,
                });
            }
            if self.frame(byte)? {
                return Ok(Step::Done { count: place + 1 });
            }
        }
        Ok(Step::Partial)
    }

    /// Takes one byte of framing; true when it was the last of the message.
    fn frame(&mut self, byte: u8) -> Result<bool, Malformed> {
        self.state = match (self.state, byte) {
            (State::Size(digits), _) if byte.is_ascii_hexdigit() => self.digit(digits, byte)?,
            (State::Size(1..) | State::Extension, b'\r') => State::SizeNewline,
            (State::Size(1..), b';' | b' ' | b'\t')
            | (State::Extension, b' '..=b'~' | b'\t' | 0x80..) => {
                self.line_byte()?;
                State::Extension
            }
            (State::SizeNewline, b'\n') => {
                self.line = 0;
                if self.left == 0 {
                    State::TrailerStart
                } else {
                    State::Data
                }
            }
            (State::DataReturn, b'\r') => State::DataNewline,
            (State::DataNewline, b'\n') => State::Size(0),
            (State::TrailerStart, b'\r') => State::LastNewline,
            (State::TrailerStart | State::TrailerName, _) if is_token(byte) => {
                self.line_byte()?;
                State::TrailerName
            }
            (State::TrailerName, b':') => State::TrailerValue,
            (State::TrailerValue, b'\r') => State::TrailerNewline,
            (State::TrailerValue, b' '..=b'~' | b'\t' | 0x80..) => {
                self.line_byte()?;
                State::TrailerValue
            }
            (State::TrailerNewline, b'\n') => State::TrailerStart,
            (State::LastNewline, b'\n') => return Ok(true),
            _ => return Err(Malformed::Chunk),
        };
        Ok(false)
    }

    fn digit(&mut self, digits: u8, byte: u8) -> Result<State, Malformed> {
        if digits == 0 {
            self.left = 0;
        }
        let value = match byte {
            b'0'..=b'9' => byte - b'0',
            _ => (byte | 0x20) - b'a' + 10,
        };
        if digits >= 16 {
            return Err(Malformed::Chunk);
        }
        self.left = self.left << 4 | u64::from(value);
        Ok(State::Size(digits + 1))
    }

    fn line_byte(&mut self) -> Result<(), Malformed> {
        self.line += 1;
        if self.line > LINE_BYTES_MAX {
            Err(Malformed::Chunk)
        } else {
            Ok(())
        }
    }
}

/// `tchar` of RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
