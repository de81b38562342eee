import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

const PERIOD_S = 30;
/** Clocks of phones may be one step early or late (RFC 6238, section 5.2). */
const DRIFT_STEPS = 1;
/** The length of the HMAC's output, SHA-1 (RFC 4226, section 4). */
const SECRET_BYTES = 20;
const ISSUER = "Posthaste";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A new secret of an authenticator app. */
export interface NewTotp {
  /** In base32, for typing. */
  secret: string;
  /** `otpauth://`, for scanning. */
  uri: string;
}

/** Generates a secret for an authenticator app, in which the address names the person. */
export function newTotp(email: string): NewTotp {
  const secret = new Secret({ size: SECRET_BYTES });
  const totp = new TOTP({ issuer: ISSUER, label: email, secret, period: PERIOD_S });
  return { secret: secret.base32, uri: totp.toString() };
}

/** Returns the time step of a code, or null if it belongs to none around `now`. */
export function stepOfCode(code: string, secret: string, now: Date): number | null {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD_S });
  const timestamp = now.getTime();
  const drift = totp.validate({
    token: code.replaceAll(/\s/g, ""),
    timestamp,
    window: DRIFT_STEPS,
  });
  return drift === null ? null : Math.floor(timestamp / 1000 / PERIOD_S) + drift;
}

/**
 * Seals secrets that only the dashboard opens, with AES-256-GCM. A secret opens only for the same
 * owner.
 */
export interface OwnBox {
  seal(text: string, owner: string): string;
  /**
   * Opens a sealed secret.
   *
   * @throws {Error} If it was sealed under another key, for another owner, or was changed.
   */
  open(sealed: string, owner: string): string;
}

/** Opens the box under a key of 32 bytes. */
export function openOwnBox(key: Buffer): OwnBox {
  return {
    seal(text, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const rest = bytes.subarray(IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(rest), decipher.final()]).toString("utf8");
    },
  };
}
