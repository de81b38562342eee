/**
 * Verifies webhooks, as Standard Webhooks 1.0 signs them: https://www.standardwebhooks.com
 *
 * ```ts
 * const event = await verify(await request.text(), request.headers, [secret]);
 * ```
 *
 * @module
 */

/** Headers of a request: `Headers`, or an object as Node has it. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** An event, as a webhook brings it. Clients ignore types and fields that they do not know. */
export interface WebhookEvent {
  /** The same on every attempt: what duplicates are found by. */
  id: string;
  type: string;
  timestamp?: string;
  sequence?: number;
  data?: Record<string, unknown>;
}

/** Options of {@linkcode verify}. */
export interface VerifyOptions {
  /** How far the clocks may differ, and how old a request may be. @default {300_000} */
  toleranceMs?: number;
  /** Now, in milliseconds. @default {Date.now()} */
  now?: number;
}

/** A webhook that was not signed by any of the secrets, or not now: answer it with 400. */
export class WebhookError extends Error {
  override name = "WebhookError";
}

const PREFIX = "whsec_";
const VERSION = "v1,";
const MAX_SIGNATURES = 10;

/**
 * Returns the event of a webhook whose signature is that of one of `secrets`, two of them while a secret
 * is changed. The body is the text as it came: parsing and writing it again changes its bytes.
 *
 * @throws {WebhookError} The signature is another one, or the request is too old or too new.
 * @throws {TypeError} A secret is not one.
 */
export async function verify(
  body: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceMs = 300_000, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ").slice(0, MAX_SIGNATURES);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > toleranceMs) {
    throw new WebhookError("Cannot accept the webhook: its timestamp is too far from now");
  }
  const payload = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), payload);
  for (const secret of [secrets].flat()) {
    const key = await importSecret(secret);
    for (const signature of signatures) {
      if (await isSigned(key, { signature, signed })) return parseEvent(payload);
    }
  }
  throw new WebhookError("Cannot accept the webhook: no signature is by one of the secrets");
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers["get"] === "function"
    ? headers.get(name)
    : [(headers as Record<string, string | string[] | undefined>)[name]].flat()[0];
  if (value) return value;
  throw new WebhookError(`Cannot accept the webhook: it has no ${name}`);
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decode(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "");
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError(`Cannot use the secret: it must be ${PREFIX} and base64`);
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
}

/** WebCrypto compares in constant time. */
async function isSigned(
  key: CryptoKey,
  { signature, signed }: { signature: string; signed: Uint8Array<ArrayBuffer> },
): Promise<boolean> {
  if (!signature.startsWith(VERSION)) return false;
  const bytes = decode(signature.slice(VERSION.length));
  return bytes !== undefined && await crypto.subtle.verify("HMAC", key, bytes, signed);
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

function parseEvent(payload: Uint8Array): WebhookEvent {
  return JSON.parse(new TextDecoder().decode(payload));
}
