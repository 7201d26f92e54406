//! The terminal while the view has it, and as it was before.
//!
//! The terminal stays in cooked mode but for echo and line editing, so that Ctrl-C is a signal as ever. Three ways
//! lead back: closing the view, a panic anywhere, and, if Bancada is killed, its guardian, which finds a note.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Stderr, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::{Frame, Terminal};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr, ttyname};

/// Whether the view has the terminal; whoever sets it back restores.
static HELD: AtomicBool = AtomicBool::new(false);
/// How the terminal was before the first view of this process.
static BEFORE: OnceLock<Termios> = OnceLock::new();
static HOOK: Once = Once::new();

/// The terminal, taken.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    note: PathBuf,
}

impl Screen {
    /// Takes the terminal that standard error is.
    ///
    /// # Errors
    /// When it is none, or refuses.
    pub fn open(state_folder: &Path) -> io::Result<Screen> {
        if !io::stderr().is_terminal() {
            return Err(io::Error::other("standard error is no terminal"));
        }
        let before = tcgetattr(io::stderr().as_fd())?;
        let quiet = {
            let mut modes = before.clone();
            modes.local_modes -= LocalModes::ECHO | LocalModes::ICANON;
            modes
        };
        let _ = BEFORE.set(before);
        let note = note_of(state_folder, std::process::id());
        leave_note(&note)?;
        HOOK.call_once(restore_on_panic);
        HELD.store(true, Ordering::SeqCst);
        let taken = tcsetattr(io::stderr().as_fd(), OptionalActions::Now, &quiet)
            .map_err(io::Error::from)
            .and_then(|()| execute!(io::stderr(), EnterAlternateScreen, Hide))
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())));
        match taken {
            Ok(terminal) => Ok(Screen { terminal, note }),
            Err(error) => {
                restore();
                let _ = fs::remove_file(&note);
                Err(error)
            }
        }
    }

    /// Draws a frame in whatever size the terminal has now.
    ///
    /// # Errors
    /// When the terminal is gone or no longer ours.
    pub fn draw(&mut self, frame: impl FnOnce(&mut Frame)) -> io::Result<()> {
        if !HELD.load(Ordering::SeqCst) {
            return Err(io::Error::other("the terminal was given back"));
        }
        self.terminal.draw(frame).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
        let _ = fs::remove_file(&self.note);
    }
}

/// Gives the terminal back, once. Nothing can be done about a terminal that is gone.
fn restore() {
    if !HELD.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
    if let Some(before) = BEFORE.get() {
        let _ = tcsetattr(io::stderr().as_fd(), OptionalActions::Now, before);
    }
}

fn restore_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore();
        usual(panic);
    }));
}

fn note_of(state_folder: &Path, pid: u32) -> PathBuf {
    state_folder.join(format!("screen-{pid}"))
}

/// Writes down which terminal is taken, for the guardian.
fn leave_note(note: &Path) -> io::Result<()> {
    let name = ttyname(io::stderr().as_fd(), Vec::new())?;
    if let Some(folder) = note.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(note, name.as_bytes())
}

/// Gives back the terminal that a process, now gone, had taken and not given back. Called by its guardian.
pub fn restore_abandoned(state_folder: &Path, pid: u32) {
    let note = note_of(state_folder, pid);
    let Ok(name) = fs::read_to_string(&note) else {
        return;
    };
    let _ = fs::remove_file(&note);
    let no_controlling = rustix::fs::OFlags::NOCTTY.bits() as i32;
    let opened = OpenOptions::new()
        .write(true)
        .custom_flags(no_controlling)
        .open(name.trim());
    let Ok(mut terminal) = opened else { return };
    if terminal.is_terminal() {
        let _ = give_back(&mut terminal);
    }
}

fn give_back(terminal: &mut File) -> io::Result<()> {
    execute!(terminal, LeaveAlternateScreen, Show)?;
    terminal.flush()?;
    let mut modes = tcgetattr(terminal.as_fd())?;
    modes.local_modes |= LocalModes::ECHO | LocalModes::ICANON;
    Ok(tcsetattr(terminal.as_fd(), OptionalActions::Now, &modes)?)
}
