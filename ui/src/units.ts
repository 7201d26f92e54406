// Stored numbers as people read them, as the other forms of the report write them.

interface Scale {
  divisor: number;
  sign: string;
}

const SCALES: Record<string, [number, string][]> = {
  ns: [
    [1, "ns"],
    [1e3, "µs"],
    [1e6, "ms"],
    [1e9, "s"],
  ],
  us: [
    [1e-3, "ns"],
    [1, "µs"],
    [1e3, "ms"],
    [1e6, "s"],
  ],
  s: [[1, "s"]],
  bytes: [
    [1, "B"],
    [1024, "KiB"],
    [1048576, "MiB"],
    [1073741824, "GiB"],
  ],
  per_s: [[1, "/s"]],
};

/** The unit in which most of `values` are at least 1. */
export function scaleFor(unit: string, values: number[]): Scale {
  const scales = (SCALES[unit] ?? [[1, ""]]).map(([divisor, sign]) => ({ divisor, sign }));
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 1;
  return scales.filter((scale) => middle >= scale.divisor).at(-1) ?? scales[0]!;
}

/** The unit that the name of a figure ends in. */
export function unitOf(name: string): string {
  return (
    ["per_s", "bytes", "ratio", "count", "ns", "us", "s"].find((u) => name.endsWith(`_${u}`)) ?? ""
  );
}

export function withUnit(unit: string, value: number): string {
  const { divisor, sign } = scaleFor(unit, [value]);
  return `${digits(value / divisor)}${sign === "" || sign === "/s" ? "" : " "}${sign}`;
}

/** Three significant digits, and every digit before the point. */
export function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return grouped(value);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.9995) return value.toFixed(2);
  if (size >= 0.0005 || size === 0) return value.toFixed(3);
  return value.toExponential(1);
}

export function grouped(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function perCent(ratio: number): string {
  const value = ratio * 100;
  const size = Math.abs(value);
  if (size >= 9.95) return `${grouped(value)} %`;
  return size >= 0.995 ? `${value.toFixed(1)} %` : `${value.toFixed(2)} %`;
}

/** Half-width above which one sign for both sides would mislead. */
const SYMMETRIC_MAX_RATIO = 0.25;

/** How far an interval reaches: to either side, on the scale of logarithms; a wide one by its ends, over `divisor`. */
export function reach(low: number, high: number, divisor: number): string {
  const halfWidth = Math.sqrt(high / low) - 1;
  return halfWidth > SYMMETRIC_MAX_RATIO
    ? `(${digits(low / divisor)} – ${digits(high / divisor)})`
    : `±${perCent(halfWidth)}`;
}

/** How far apart the ends of an interval of ratios may be before their digits tell nothing. */
const WIDEST_RANGE = 1e4;

/** The ends of an interval of ratios, or that they lie too far apart to be told. */
export function range(low: number, high: number): string {
  return high / low > WIDEST_RANGE ? "undetermined" : `${digits(low)} – ${digits(high)}`;
}

/** A figure in the unit that suits it, with how far its interval reaches. */
export function withReach(
  unit: string,
  found: { estimate: number; low?: number; high?: number },
): string {
  const { divisor } = scaleFor(unit, [found.estimate]);
  const spread = found.low && found.high ? ` ${reach(found.low, found.high, divisor)}` : "";
  return withUnit(unit, found.estimate) + spread;
}

export function times(ratio: number): string {
  return `${digits(ratio)}×`;
}
