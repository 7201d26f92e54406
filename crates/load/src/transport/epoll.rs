//! Level-triggered epoll: a connection is registered once, read once for each time it is ready,
//! into one buffer that all share, and written straight away.

use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, clock_gettime,
    timerfd_create, timerfd_settime,
};

use super::socket::{SourceAddresses, failure};
use super::{Event, Failure, Received, Transport};
use crate::error::LoadError;

/// Large enough for most answers in one read, small enough to stay in the second-level cache.
const BUFFER_BYTES: usize = 64 * 1024;
/// Time between two ticks of the timer that ends long waits.
const TICK_NS: u64 = 10_000_000;
/// Event data of that timer: no slot has this number.
const TICK: u64 = u64::MAX;
/// Below this, throwing bytes away unseen saves nothing over reading them.
const SKIP_FROM: u64 = 16 * 1024;

/// The transport of choice on Linux.
pub struct Epoll {
    poll: OwnedFd,
    /// Ticks while the transport lives. Waits that may end at a tick need no timer of their own,
    /// whose setting and clearing would cost more than the wait.
    ticks: OwnedFd,
    slots: Vec<Slot>,
    /// Opened since the last wait and not registered yet: most will have connected by then.
    unregistered: Vec<u32>,
    events: Vec<epoll::Event>,
    buffer: Box<[MaybeUninit<u8>]>,
    received: usize,
    sources: SourceAddresses,
}

#[derive(Default)]
struct Slot {
    socket: Option<OwnedFd>,
    /// Tells events of this connection from those of an earlier one in the slot.
    generation: u32,
    connecting: bool,
    /// Whether the kernel tells us when it can be written to.
    watches_write: bool,
    registered: bool,
    /// Bytes that could not go out at once.
    unsent: Vec<u8>,
}

impl Epoll {
    /// A transport with no connections.
    ///
    /// # Errors
    /// When the kernel refuses an epoll descriptor.
    pub fn new() -> Result<Epoll, LoadError> {
        Epoll::with_sources(SourceAddresses::default())
    }

    /// A transport whose connections come from these addresses.
    ///
    /// # Errors
    /// When the kernel refuses an epoll descriptor.
    pub fn with_sources(sources: SourceAddresses) -> Result<Epoll, LoadError> {
        let poll =
            epoll::create(CreateFlags::CLOEXEC).map_err(LoadError::system("epoll_create1"))?;
        let ticks = ticking().map_err(LoadError::system("timerfd_create"))?;
        epoll::add(&poll, &ticks, EventData::new_u64(TICK), EventFlags::IN)
            .map_err(LoadError::system("epoll_ctl"))?;
        Ok(Epoll {
            poll,
            ticks,
            slots: Vec::new(),
            unregistered: Vec::new(),
            events: Vec::with_capacity(Epoll::EVENTS_MAX),
            buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES].into_boxed_slice(),
            received: 0,
            sources,
        })
    }

    fn interest(slot: &Slot) -> EventFlags {
        if slot.watches_write {
            EventFlags::IN | EventFlags::OUT
        } else {
            EventFlags::IN
        }
    }

    fn register(&mut self) {
        while let Some(number) = self.unregistered.pop() {
            let slot = &mut self.slots[number as usize];
            let Some(socket) = slot.socket.as_ref().filter(|_| !slot.registered) else {
                continue;
            };
            slot.watches_write = slot.connecting || !slot.unsent.is_empty();
            let data = EventData::new_u64(u64::from(slot.generation) << 32 | u64::from(number));
            // Fails only for lack of kernel memory; the request then times out.
            slot.registered = epoll::add(&self.poll, socket, data, Epoll::interest(slot)).is_ok();
        }
    }

    fn watch_write(&mut self, number: u32, watch: bool) {
        let slot = &mut self.slots[number as usize];
        if slot.watches_write == watch || !slot.registered {
            return;
        }
        slot.watches_write = watch;
        if let Some(socket) = &slot.socket {
            let data = EventData::new_u64(u64::from(slot.generation) << 32 | u64::from(number));
            let _ = epoll::modify(&self.poll, socket, data, Epoll::interest(slot));
        }
    }

    /// Sends what was kept; true when all of it is gone.
    fn flush(&mut self, number: u32) -> Result<bool, Failure> {
        let slot = &mut self.slots[number as usize];
        if let (Some(socket), false) = (&slot.socket, slot.unsent.is_empty()) {
            match write(socket, &slot.unsent) {
                Ok(count) => drop(slot.unsent.drain(..count)),
                Err(Errno::AGAIN) => {}
                Err(_) => return Err(Failure::Reset),
            }
        }
        Ok(slot.unsent.is_empty())
    }

    fn writable(&mut self, number: u32) -> Option<Event> {
        let slot = &mut self.slots[number as usize];
        let connected = slot.connecting;
        if connected {
            let error = slot.socket.as_ref().map(net::sockopt::socket_error);
            if let Some(Ok(Err(errno)) | Err(errno)) = error {
                return Some(Event::Failed(number, failure(errno)));
            }
            slot.connecting = false;
        }
        match self.flush(number) {
            Ok(true) => self.watch_write(number, false),
            Ok(false) => {}
            Err(failure) => return Some(Event::Failed(number, failure)),
        }
        connected.then_some(Event::Connected(number))
    }
}

fn ticking() -> Result<OwnedFd, Errno> {
    let ticks = timerfd_create(
        TimerfdClockId::Monotonic,
        TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
    )?;
    let every = Timespec {
        tv_sec: 0,
        tv_nsec: TICK_NS as i64,
    };
    let times = Itimerspec {
        it_interval: every,
        it_value: every,
    };
    timerfd_settime(&ticks, TimerfdTimerFlags::empty(), &times)?;
    Ok(ticks)
}

fn write(socket: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match net::send(&socket, bytes, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

impl Transport for Epoll {
    const EVENTS_MAX: usize = 256;

    #[inline]
    fn now(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }

    fn open(&mut self, number: u32, remote: SocketAddr) -> Result<(), Failure> {
        self.close(number);
        if self.slots.len() <= number as usize {
            self.slots.resize_with(number as usize + 1, Slot::default);
        }
        let socket = self.sources.connect(remote)?;
        let slot = &mut self.slots[number as usize];
        slot.socket = Some(socket);
        slot.connecting = true;
        slot.registered = false;
        self.unregistered.push(number);
        Ok(())
    }

    #[inline]
    fn send(&mut self, number: u32, bytes: &[u8]) -> Result<(), Failure> {
        let slot = &mut self.slots[number as usize];
        let Some(socket) = &slot.socket else {
            return Err(Failure::Reset);
        };
        let sent = if slot.unsent.is_empty() {
            write(socket, bytes)
        } else {
            Err(Errno::AGAIN)
        };
        match sent {
            Ok(count) if count == bytes.len() => {
                slot.connecting = false;
                return Ok(());
            }
            Ok(count) => {
                slot.connecting = false;
                slot.unsent.extend_from_slice(&bytes[count..]);
            }
            Err(Errno::AGAIN) => slot.unsent.extend_from_slice(bytes),
            Err(errno) if slot.connecting => return Err(failure(errno)),
            Err(_) => return Err(Failure::Reset),
        }
        self.watch_write(number, true);
        Ok(())
    }

    #[inline]
    fn receive(&mut self, number: u32, skippable: u64) -> Received {
        let slot = &mut self.slots[number as usize];
        let Some(socket) = &slot.socket else {
            return Received::Nothing;
        };
        let skip = skippable >= SKIP_FROM;
        let outcome = if skip {
            skip_bytes(socket, skippable)
        } else {
            net::recv(socket, &mut *self.buffer, RecvFlags::empty()).map(|(_, count)| count as u64)
        };
        match outcome {
            Ok(0) => Received::Closed,
            Ok(count) if skip => Received::Skipped(count),
            Ok(count) => {
                self.received = count as usize;
                Received::Bytes(self.received)
            }
            Err(Errno::AGAIN | Errno::INTR) => Received::Nothing,
            Err(errno) if slot.connecting => Received::Failed(failure(errno)),
            Err(_) => Received::Failed(Failure::Reset),
        }
    }

    #[inline]
    fn received(&self) -> &[u8] {
        let bytes = &self.buffer[..self.received];
        // SAFETY: `receive` sets `received` to the count of bytes that recv wrote to the front of
        // the buffer, and nothing makes them uninitialised again.
        unsafe { &*(std::ptr::from_ref(bytes) as *const [u8]) }
    }

    fn close(&mut self, number: u32) {
        if let Some(slot) = self.slots.get_mut(number as usize)
            && slot.socket.take().is_some()
        {
            slot.generation = slot.generation.wrapping_add(1);
            slot.unsent.clear();
            slot.registered = false;
            slot.connecting = false;
        }
    }

    fn wait(&mut self, from: u64, until: u64) -> Result<usize, std::io::Error> {
        self.register();
        let left = until.saturating_sub(from);
        let timeout = Timespec {
            tv_sec: (left / 1_000_000_000) as i64,
            tv_nsec: (left % 1_000_000_000) as i64,
        };
        self.events.clear();
        match epoll::wait(
            &self.poll,
            rustix::buffer::spare_capacity(&mut self.events),
            (left < 2 * TICK_NS).then_some(&timeout),
        ) {
            Ok(count) => Ok(count),
            Err(Errno::INTR) => Ok(0),
            Err(errno) => Err(errno.into()),
        }
    }

    #[inline]
    fn event(&mut self, place: usize) -> Option<Event> {
        let event = *self.events.get(place)?;
        let data = event.data.u64();
        if data == TICK {
            let _ = rustix::io::read(&self.ticks, &mut [0; 8]);
            return None;
        }
        let number = data as u32;
        let slot = self.slots.get(number as usize)?;
        if slot.socket.is_none() || slot.generation != (data >> 32) as u32 {
            return None;
        }
        let flags = event.flags;
        if slot.watches_write
            && flags.intersects(EventFlags::OUT | EventFlags::ERR | EventFlags::HUP)
        {
            let news = self.writable(number);
            if news.is_some() || !flags.contains(EventFlags::IN) {
                return news;
            }
        }
        Some(Event::Readable(number))
    }
}

/// TCP throws bytes away without copying them when asked for `MSG_TRUNC`.
fn skip_bytes(socket: &OwnedFd, most: u64) -> Result<u64, Errno> {
    use std::os::fd::AsRawFd;
    let most = usize::try_from(most.min(1 << 30)).unwrap_or(1 << 30);
    // SAFETY: with MSG_TRUNC the kernel writes nothing to the buffer of a TCP socket (tcp(7)), so
    // no buffer is needed.
    let count = unsafe {
        libc::recv(
            socket.as_raw_fd(),
            std::ptr::null_mut(),
            most,
            libc::MSG_TRUNC,
        )
    };
    match u64::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}
