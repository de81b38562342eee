/** More than that are not counted. */
const MAX_AHEAD = 10_000;

/** Writes which place in its integration's line a message has, by how many go first: `Behind 12 others`. */
export function sayPlace(ahead: number): string {
  if (ahead === 0) return "Next in the queue";
  if (ahead === 1) return "Behind 1 other";
  const count = ahead.toLocaleString();
  return ahead >= MAX_AHEAD ? `Behind ${count} others or more` : `Behind ${count} others`;
}
