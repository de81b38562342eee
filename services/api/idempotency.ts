import { createHash } from "node:crypto";
import { HttpError } from "./http_error.ts";
import type { FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** The result of {@linkcode hashRequest} if the request has an `Idempotency-Key`; else empty. */
    bodyHash: string;
  }
}

/** What identifies a request as a repetition of an earlier one. */
export interface Idempotency {
  key: string;
  /** SHA-256 of method, path and body, in hex. */
  bodyHash: string;
}

const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/**
 * Checks the header `Idempotency-Key`.
 *
 * @throws {HttpError} `invalid_request` if it is not 1 to 255 printable ASCII characters.
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === "string" && KEY_PATTERN.test(header)) return header;
  const message = "must be 1 to 255 printable ASCII characters";
  throw new HttpError("invalid_request", `Cannot accept the send: Idempotency-Key: ${message}`, {
    issues: [{ path: "Idempotency-Key", code: "bad_key", message }],
  });
}

/**
 * Returns what identifies a request as a repetition; `undefined` if it has no `Idempotency-Key`.
 *
 * @throws {HttpError} `invalid_request`
 */
export function idempotencyOf(
  { headers, bodyHash }: Pick<FastifyRequest, "headers" | "bodyHash">,
): Idempotency | undefined {
  const key = readIdempotencyKey(headers["idempotency-key"]);
  return key === undefined ? undefined : { key, bodyHash };
}

/** Returns a hash of a request: the same method, path and body, byte for byte, have the same hash. */
function hashRequest(method: string, path: string, body: Buffer): string {
  return createHash("sha256").update(`${method} ${path}\n`).update(body).digest("hex");
}

/** Stores the hash of a request that has an `Idempotency-Key`. */
export function noteBodyHash(request: FastifyRequest, body: Buffer): void {
  if (request.headers["idempotency-key"] === undefined) return;
  const [path = ""] = request.url.split("?");
  request.bodyHash = hashRequest(request.method, path, body);
}
