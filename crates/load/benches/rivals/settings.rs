//! The flags of the bench.

/// What to compare, and for how long.
pub struct Settings {
    /// Pairs of runs.
    pub rounds: usize,
    /// Length of a run; each mode has its own usual one.
    pub seconds: Option<f64>,
    pub connections: Vec<u32>,
    /// Bytes of the answers' bodies.
    pub bodies: Vec<usize>,
    /// Arrivals per second.
    pub rates: Vec<f64>,
    /// Truth servers.
    pub servers: Vec<String>,
    /// Whether ours never sleeps where its times are compared with the truth.
    pub busy_poll: bool,
    /// Generators to compare with; all when absent.
    pub only: Option<Vec<String>>,
}

impl Settings {
    /// Reads pairs of a flag and its value.
    pub fn read(args: &[String]) -> Settings {
        let mut settings = Settings {
            rounds: 10,
            seconds: None,
            connections: vec![50],
            bodies: vec![2],
            rates: vec![1_000.0, 10_000.0, 50_000.0],
            servers: ["stall", "mixture", "slow"].map(str::to_owned).to_vec(),
            busy_poll: false,
            only: None,
        };
        for pair in args.chunks(2) {
            let [name, value] = pair else { usage() };
            match name.as_str() {
                "--rounds" => settings.rounds = number(value),
                "--seconds" => settings.seconds = Some(number(value)),
                "--connections" => settings.connections = numbers(value),
                "--bodies" => settings.bodies = numbers(value),
                "--rates" => settings.rates = numbers(value),
                "--servers" => settings.servers = numbers(value),
                "--busy-poll" => settings.busy_poll = number(value),
                "--only" => settings.only = Some(numbers(value)),
                _ => usage(),
            }
        }
        settings
    }

    /// Whether this generator is to be compared with.
    pub fn wants(&self, name: &str) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| only.iter().any(|wanted| wanted == name))
    }
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| usage())
}

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    text.split(',').map(number).collect()
}

/// Says what there is and ends.
pub fn usage() -> ! {
    eprintln!(
        "modes: costs, syscalls, truth, printed, pacing, priority, truth-serve NAME\n\
         flags: --rounds N --seconds S --connections N,N --bodies BYTES,BYTES --rates PER_S,PER_S \
         --servers instant,stall,mixture,slow --busy-poll true --only NAME,NAME"
    );
    std::process::exit(2);
}
