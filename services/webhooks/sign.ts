import { createHmac } from "node:crypto";

/** The signed request. */
export interface SignedRequest {
  /** Id of the event. */
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

const PREFIX = "whsec_";

/**
 * Returns the value of `webhook-signature` (Standard Webhooks 1.0): a signature by each secret, with spaces between
 * them.
 *
 * @param secrets In the form in which they are shown: `whsec_` and base64.
 */
export function signatureOf(
  { id, timestamp, body }: SignedRequest,
  secrets: readonly string[],
): string {
  return secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
    return `v1,${signature.digest("base64")}`;
  }).join(" ");
}
