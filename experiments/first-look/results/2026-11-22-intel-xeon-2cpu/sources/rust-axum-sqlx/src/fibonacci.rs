//! `GET /fibonacci`: the Fibonacci numbers up to a limit, computed for every request.

const LIMIT: u32 = 100_000_000;

pub async fn answer() -> &'static str {
    if fibonacci(LIMIT)[0] == 1 { "OK" } else { "?" }
}

fn fibonacci(limit: u32) -> Vec<u32> {
    let mut numbers = Vec::new();
    let (mut a, mut b) = (1, 1);
    while a <= limit {
        numbers.push(a);
        (a, b) = (b, a + b);
    }
    numbers
}
