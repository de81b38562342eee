import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { MAX_SERVICE_KEY_BITS } from "@posthaste/contracts";
import { OauthFailure } from "./oauth_failure.ts";

/** The claims of an assertion (RFC 7523, section 3). */
export interface Assertion {
  /** Address of the service account. */
  issuer: string;
  /** The user that it acts for. */
  subject: string;
  audience: string;
  scope: string;
  issuedAt: Date;
}

/** The longest that Google accepts. */
const VALID_S = 3600;

/**
 * Returns an assertion as a JWT, signed by RS256.
 *
 * @throws {Error} If the key is not readable. @throws {OauthFailure} If it is too large.
 */
export function jwtAssertion(
  { issuer, subject, audience, scope, issuedAt }: Assertion,
  { keyId, privateKey }: { keyId: string; privateKey: string },
): string {
  const iat = Math.floor(issuedAt.getTime() / 1000);
  const claims = {
    ...{ iss: issuer, sub: subject, aud: audience, scope },
    ...{ iat, exp: iat + VALID_S },
  };
  const signed = [{ alg: "RS256", typ: "JWT", kid: keyId }, claims].map(encode).join(".");
  const signature = sign("RSA-SHA256", Buffer.from(signed), keyOf(privateKey));
  return `${signed}.${signature.toString("base64url")}`;
}

/** A key of 28,000 bits would hold the mails of all accounts up for half a minute. */
function keyOf(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_SERVICE_KEY_BITS) return key;
  throw new OauthFailure("The key of the service account is too large", {
    isPermanent: true,
    remedy: "Create another key (JSON) for the service account, and enter its file",
  });
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
