/** Writes a moment for people and for sorting: `2026-11-21 15:05:23Z`. */
export function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** Writes the time of day with milliseconds, in UTC: `15:05:23.123`. */
export function formatClock(at: Date): string {
  return at.toISOString().slice(11, 23);
}

/** Writes a span of time so that it can be read at a glance: `12 ms`, `3.4 s`, `5 min 2 s`. */
export function formatSpan(milliseconds: number): string {
  const sign = milliseconds < 0 ? "-" : "";
  const ms = Math.abs(milliseconds);
  if (ms < 10) return `${sign}${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${sign}${Math.round(ms)} ms`;
  if (ms < 59_950) return `${sign}${(ms / 1000).toFixed(1)} s`;
  const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const;
  let rest = Math.round(ms / 1000);
  const parts = units.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { unit, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return sign + shown.map(({ unit, count }) => `${count} ${unit}`).join(" ");
}

/** Writes a count with its noun: `1 message`, `3 messages`. */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
