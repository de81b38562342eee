const MARK = " data-posthaste-changed";
const OPENING = /<(?:p|div|td|th|tr|table|h[1-6]|span|a|img|li|ul|ol|strong|em|section|footer)\b/gi;

/**
 * Marks the element of the body in which a page first differs from its previous version, so that
 * the preview can show that place first. Returns the page unchanged if its body did not change.
 */
export function markChange(before: string, after: string): string {
  const place = firstDifference(before, after);
  const body = after.search(/<body\b/i);
  if (place === -1) return after;
  let start = -1;
  let end = -1;
  for (const { index, 0: tag } of after.matchAll(OPENING)) {
    if (index > place) break;
    if (index > body) [start, end] = [index, index + tag.length];
  }
  return start === -1 ? after : after.slice(0, end) + MARK + after.slice(end);
}

function firstDifference(a: string, b: string): number {
  if (a === b) return -1;
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at;
  return shorter;
}
