/** Longer words are no slips of the finger. */
const MAX_WORD_LENGTH = 40;

/** The most candidates that one word is compared with: a sample has as many names as its author likes. */
const MAX_COMPARED = 300;

/** The candidate that a slip of the finger away from the word, if there is one. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  const lower = word.toLowerCase();
  const reach = word.length < 4 ? 1 : 2;
  let best: string | undefined;
  let least = reach + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > reach) continue;
    if (++compared > MAX_COMPARED) break;
    const steps = distance(lower, candidate.toLowerCase(), reach);
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** Levenshtein's, exact up to `reach`: what is further from the diagonal is more than that. */
function distance(a: string, b: string, reach: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(Infinity);
    if (i <= reach) next[0] = i;
    for (let j = Math.max(1, i - reach); j <= Math.min(b.length, i + reach); j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
