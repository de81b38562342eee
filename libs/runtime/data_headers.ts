/**
 * Headers of every answer: it is data for the one who asked, and nothing that a browser may keep,
 * guess the type of, show in a frame, run, or hand to another site.
 */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
