import { Buffer } from "node:buffer";

/** A user, and an access token as the password. */
interface TokenLogin {
  readonly user: string;
  readonly password: string;
}

/** The mechanisms that send an access token. */
export const BY_TOKEN = ["XOAUTH2", "OAUTHBEARER"] as const;

/** A mechanism that sends an access token. */
export type TokenMechanism = (typeof BY_TOKEN)[number];

/**
 * Returns the initial response of a mechanism in base64: Google's XOAUTH2, or OAUTHBEARER (RFC 7628, section
 * 3.1).
 */
export function bearerResponse(method: TokenMechanism, { user, password }: TokenLogin): string {
  const start = method === "XOAUTH2" ? `user=${user}` : `n,a=${saslName(user)},`;
  return Buffer.from(`${start}\x01auth=Bearer ${password}\x01\x01`).toString("base64");
}

/** Escapes a name for a GS2 header (RFC 5801, section 4). */
function saslName(name: string): string {
  return name.replaceAll("=", "=3D").replaceAll(",", "=2C");
}
