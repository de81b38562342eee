/** Formats a duration: `340 ms`, `12.4 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return pair([Math.floor(seconds / 60), "min"], [seconds % 60, "s"]);
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
  const hours = Math.round(minutes / 60);
  return pair([Math.floor(hours / 24), "d"], [hours % 24, "h"]);
}

function pair(...parts: [number, string][]): string {
  return parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}
