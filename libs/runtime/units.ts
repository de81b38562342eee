const DURATIONS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const SIZES = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
} as const;

/**
 * Returns the milliseconds of a text such as `500ms`, `30s`, `5m`, `48h`, `7d` or `0`; `undefined` if it is
 * none.
 */
export function parseDuration(text: string): number | undefined {
  return parse(text, DURATIONS);
}

/**
 * Returns the bytes of a text such as `512B`, `25MB` (millions), `512KiB` (times 1,024) or `0`; `undefined` if
 * it is none.
 */
export function parseBytes(text: string): number | undefined {
  return parse(text, SIZES);
}

/** Writes milliseconds in the largest unit that needs no fraction: `90000` is `90s`. */
export function formatDuration(milliseconds: number): string {
  return format(milliseconds, DURATIONS);
}

/** Writes bytes in the largest unit that needs no fraction: `25000000` is `25MB`. */
export function formatBytes(bytes: number): string {
  return format(bytes, SIZES);
}

function parse(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?([a-z]{0,3})$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, digits = "", unit = ""] = match;
  if (unit === "") return Number(digits) === 0 ? 0 : undefined;
  const name = Object.keys(units).find((name) => name.toLowerCase() === unit.toLowerCase());
  const value = Number(digits) * (name === undefined ? NaN : units[name] ?? NaN);
  return Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined;
}

function format(value: number, units: Readonly<Record<string, number>>): string {
  if (value === 0) return "0";
  const fitting = Object.entries(units).filter(([, size]) => value % size === 0);
  const [name, size] = fitting.reduce((best, next) => next[1] > best[1] ? next : best);
  return `${value / size}${name}`;
}
