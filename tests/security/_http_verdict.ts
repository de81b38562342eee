import { ERROR_STATUS, errorBodySchema } from "@posthaste/contracts";
import type { RawAnswer } from "./_raw_http.ts";

/** Headers that every answer must have. */
const ALWAYS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/**
 * Returns the fault in the refusal of a malicious request, or `undefined`: a refusal must be a 4xx in the form
 * of the contract, with the headers of every answer.
 */
export function faultOfRefusal(answer: RawAnswer | undefined): string | undefined {
  if (answer === undefined) return "no answer";
  const { status, headers, body } = answer;
  if (status < 400 || status > 499) return `${status} ${body.slice(0, 200)}`;
  for (const [name, value] of Object.entries(ALWAYS)) {
    if (headers[name] !== value) return `${status} without ${name}`;
  }
  if (status === 401) return body === '{"error":"Unauthenticated"}' ? undefined : body;
  const parsed = errorBodySchema.safeParse(readJson(body));
  if (!parsed.success) return `${status} ${body.slice(0, 200)}`;
  const expected = ERROR_STATUS[parsed.data.code];
  return expected === status ? undefined : `${status} with the code of a ${expected}`;
}

/** Reads a text as JSON; nothing if it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
