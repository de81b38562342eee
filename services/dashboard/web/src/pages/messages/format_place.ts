/** The most messages that are counted. */
const MAX_AHEAD = 10_000;

/** Formats a message's place in its integration's line, by how many go first: `Behind 12 others`. */
export function formatPlace(ahead: number): string {
  if (ahead === 0) return "Next in the queue";
  if (ahead === 1) return "Behind 1 other";
  const count = ahead.toLocaleString();
  return ahead >= MAX_AHEAD ? `Behind ${count} others or more` : `Behind ${count} others`;
}
