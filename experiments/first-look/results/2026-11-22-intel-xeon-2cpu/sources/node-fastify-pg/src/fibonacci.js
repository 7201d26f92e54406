// `GET /fibonacci`: the Fibonacci numbers up to a limit, computed for every request.

const LIMIT = 100_000_000;

export async function fibonacci(app) {
  app.get('/fibonacci', async () => (numbersUpTo(LIMIT)[0] === 1 ? 'OK' : '?'));
}

function numbersUpTo(limit) {
  const numbers = [];
  for (let [a, b] = [1, 1]; a <= limit; [a, b] = [b, a + b]) numbers.push(a);
  return numbers;
}
