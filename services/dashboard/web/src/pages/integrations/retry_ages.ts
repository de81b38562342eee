const HOUR_MS = 3_600_000;
const AGES: readonly [hours: number, label: string][] = [
  [1, "1 hour"],
  [4, "4 hours"],
  [12, "12 hours"],
  [24, "1 day"],
  [48, "2 days"],
  [72, "3 days"],
  [120, "5 days"],
];

/** Formats for how long mail is retried, in ms: `2 days`. */
export function retryAgeText(ms: number): string {
  const known = AGES.find(([hours]) => hours * HOUR_MS === ms);
  return known?.[1] ?? `${Math.round(ms / HOUR_MS)} hours`;
}

/** Returns the options, in ms: the usual ages, and the current one. */
export function retryAges(chosen: number): { value: string; label: string }[] {
  const usual = AGES.map(([hours]) => hours * HOUR_MS);
  const offered = usual.includes(chosen) ? usual : [...usual, chosen];
  return offered.map((ms) => ({ value: String(ms), label: retryAgeText(ms) }));
}
