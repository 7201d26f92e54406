// The estimator of the method, for a baseline the reader chose: geometric mean of per-block ratios with Student's t.
// The program computes the same for its own baseline; the tests hold both against each other.

import type { Ratio } from "./document";

/** Estimate and interval from log ratios at `confidence`; null of no block. */
export function ratioOf(logs: number[], confidence: number): Ratio | null {
  const n = logs.length;
  if (n === 0) return null;
  const mean = logs.reduce((sum, log) => sum + log, 0) / n;
  const found: Ratio = { ratio: Math.exp(mean), blocks_count: n };
  if (n < 2) return found;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (n - 1);
  const half = studentQuantile(0.5 + confidence / 2, n - 1) * Math.sqrt(variance / n);
  return { ...found, low_ratio: Math.exp(mean - half), high_ratio: Math.exp(mean + half) };
}

/** Quantile of Student's t, `p` from 0.5 to 1, by halving on its distribution function. */
export function studentQuantile(p: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentCdf(high, freedom) < p && high < 1e9) high *= 2;
  for (let step = 0; step < 200 && high - low > 1e-13 * high; step += 1) {
    const middle = (low + high) / 2;
    if (studentCdf(middle, freedom) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function studentCdf(t: number, freedom: number): number {
  const x = freedom / (freedom + t * t);
  return 1 - 0.5 * incompleteBeta(x, freedom / 2, 0.5);
}

/** Regularised incomplete beta function by Lentz's continued fraction (Numerical Recipes, 6.4). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  if (x < (a + 1) / (a + b + 2)) return (front * fraction(x, a, b)) / a;
  return 1 - (front * fraction(1 - x, b, a)) / b;
}

function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const kept = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

/** Lanczos approximation with g = 7 and nine terms, good to fifteen digits. */
function logGamma(z: number): number {
  const terms = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
  ];
  const x = z - 1;
  const sum = terms.slice(1).reduce((sum, term, i) => sum + term / (x + i + 1), terms[0]!);
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
