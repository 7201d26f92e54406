//! The arithmetic of connection pools. Figures count the connections of a whole service.

/// Why a pool is refused, with the arithmetic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// Workers do not share it evenly.
    #[error("{}", undivided(*.connections, *.workers))]
    Undivided {
        /// Connections of the service.
        connections: u32,
        /// Workers they are divided over, at least 1.
        workers: u32,
    },
    /// The database admits fewer.
    #[error(
        "{connections} connections are more than the database admits \
         ({max_connections} max_connections − {reserved} reserved = {})",
        .max_connections.saturating_sub(*.reserved)
    )]
    Overflow {
        /// Connections of the service.
        connections: u32,
        /// What the server is set to.
        max_connections: u32,
        /// Those it keeps for administration.
        reserved: u32,
    },
}

impl PoolError {
    /// What to write instead.
    pub fn remedy(&self) -> String {
        match *self {
            PoolError::Undivided {
                connections,
                workers,
            } => {
                let below = connections / workers * workers;
                let above = below.saturating_add(workers);
                match below {
                    0 => format!("use {above}"),
                    _ => format!("use {below} or {above}"),
                }
            }
            PoolError::Overflow {
                max_connections,
                reserved,
                ..
            } => format!(
                "use {} or fewer, or say allow_pool_overflow = true to see what happens",
                max_connections.saturating_sub(reserved)
            ),
        }
    }
}

fn undivided(connections: u32, workers: u32) -> String {
    format!(
        "{connections} connections cannot be divided over {workers} workers \
         ({connections} = {}×{workers} + {})",
        connections / workers.max(1),
        connections % workers.max(1)
    )
}

/// Connections of each worker.
///
/// # Errors
/// When `workers` (at least 1) does not divide `connections`.
pub fn pool_per_worker(connections: u32, workers: u32) -> Result<u32, PoolError> {
    let workers = workers.max(1);
    if connections.is_multiple_of(workers) {
        Ok(connections / workers)
    } else {
        Err(PoolError::Undivided {
            connections,
            workers,
        })
    }
}

/// Whether the database admits a pool of `connections`.
///
/// `max_connections` is the server's setting of that name; `reserved` is the sum of
/// `superuser_reserved_connections` and `reserved_connections`, and of what is connected besides.
///
/// # Errors
/// When it does not.
pub fn pool_overflow(
    connections: u32,
    max_connections: u32,
    reserved: u32,
) -> Result<(), PoolError> {
    if connections <= max_connections.saturating_sub(reserved) {
        Ok(())
    } else {
        Err(PoolError::Overflow {
            connections,
            max_connections,
            reserved,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_workers_do_not_divide_is_refused_with_its_arithmetic() {
        let error = pool_per_worker(10, 4).unwrap_err();
        assert_eq!(
            error.to_string(),
            "10 connections cannot be divided over 4 workers (10 = 2×4 + 2)"
        );
        assert_eq!(error.remedy(), "use 8 or 12");
        assert_eq!(pool_per_worker(2, 4).unwrap_err().remedy(), "use 4");
        assert_eq!(pool_per_worker(12, 4), Ok(3));
    }

    #[test]
    fn a_pool_may_take_all_that_is_not_reserved_and_no_more() {
        assert_eq!(pool_overflow(97, 100, 3), Ok(()));
        let error = pool_overflow(98, 100, 3).unwrap_err();
        assert_eq!(
            error.to_string(),
            "98 connections are more than the database admits (100 max_connections − 3 reserved = 97)"
        );
        assert!(error.remedy().starts_with("use 97 or fewer"));
    }

    #[test]
    fn a_server_that_reserves_all_its_connections_admits_none() {
        assert!(pool_overflow(1, 3, 5).is_err());
    }
}
