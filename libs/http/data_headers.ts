import type { FastifyInstance } from "fastify";

/** Headers of every answer: no browser may guess its type, show it in a frame, or hand it to another site. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/**
 * Headers of every answer that is no page: it is data for the one who asked, and nothing that a browser may
 * keep or run.
 */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...BROWSER_HEADERS,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Headers of an image that a customer has stored: it must not run or load anything, wherever it is opened. */
export const IMAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
};

/** Adds the headers of data to all answers of an app; a route may replace some. */
export function sendDataHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(DATA_HEADERS);
    done();
  });
}
