import { createCipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import type { PdfEncryption } from "@posthaste/contracts";

/** A PDF that opens with a password. */
export interface LockedPdf {
  /** Its PDF has the same keys as others of this scope with the same password, so that equal PDFs are printed once. */
  scope: string;
  /** As `readyPassword()` returns it. */
  password: string;
}

const SALT_BYTES = 8;
const NO_IV = Buffer.alloc(16);

/** All keys of this process are made from it. */
const SECRET = randomBytes(32);

/**
 * Returns what encrypts a PDF with AES-256, so that it opens with a password (ISO 32000-2, 7.6.4.4.7, revision 6).
 * The password itself does not leave this process. No password of an owner exists: who can open the PDF may do
 * everything with it.
 */
export function pdfEncryption({ scope, password }: LockedPdf): PdfEncryption {
  const bytes = Buffer.from(password);
  const random = (purpose: string) => derived(purpose, { scope, password });
  const key = random("key");
  const salts = random("salts").subarray(0, 2 * SALT_BYTES);
  const [validation, forKey] = [salts.subarray(0, SALT_BYTES), salts.subarray(SALT_BYTES)];
  const userKey = encryptedBlocks(hardened(bytes, forKey), key);
  return {
    key: key.toString("base64"),
    u: Buffer.concat([hardened(bytes, validation), salts]).toString("base64"),
    ue: userKey.toString("base64"),
    o: Buffer.concat([random("owner"), random("owner salts").subarray(0, 2 * SALT_BYTES)])
      .toString("base64"),
    oe: random("owner key").toString("base64"),
  };
}

/** Returns 32 bytes that nobody can distinguish from random ones without the secret. */
function derived(purpose: string, { scope, password }: LockedPdf): Buffer {
  const text = JSON.stringify([purpose, scope, password]);
  return createHmac("sha256", SECRET).update(text).digest();
}

const LEAST_ROUNDS = 64;
const REPETITIONS = 64;
const HASHES = ["sha256", "sha384", "sha512"] as const;

/** Returns the hash of a password and a salt (ISO 32000-2, algorithm 2.B, for a user). */
function hardened(password: Buffer, salt: Buffer): Buffer {
  let hash = createHash("sha256").update(password).update(salt).digest();
  let last = 0;
  for (let done = 0; done < LEAST_ROUNDS || last > done - 32; done++) {
    const one = Buffer.concat([password, hash]);
    const repeated = Buffer.concat(Array<Buffer>(REPETITIONS).fill(one));
    const cipher = createCipheriv("aes-128-cbc", hash.subarray(0, 16), hash.subarray(16, 32));
    const encrypted = cipher.setAutoPadding(false).update(repeated);
    // The remainder of the number in the first 16 bytes: 256 leaves 1.
    const sum = encrypted.subarray(0, 16).reduce((total, byte) => total + byte, 0);
    hash = createHash(HASHES[sum % 3] ?? "sha256").update(encrypted).digest();
    last = encrypted.at(-1) ?? 0;
  }
  return hash.subarray(0, 32);
}

function encryptedBlocks(key: Buffer, blocks: Buffer): Buffer {
  return createCipheriv("aes-256-cbc", key, NO_IV).setAutoPadding(false).update(blocks);
}
