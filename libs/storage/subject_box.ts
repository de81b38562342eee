import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { takeRandomBytes } from "@posthaste/runtime";

/**
 * Subjects are content: they must not be readable once the variables of their send are removed. Each is encrypted
 * with a key of its send, which that same write removes. So the removal costs no write for each message.
 */

/** The most characters of a subject that are stored. */
export const MAX_STORED_SUBJECT = 200;

const CIPHER = "aes-128-gcm";
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Makes the key of a send, as base64. */
export function newSubjectKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

/** Encrypts the first {@linkcode MAX_STORED_SUBJECT} characters of a subject. Returns base64. */
export function sealSubject(subject: string, key: string): string {
  // No half of a surrogate pair.
  const text = subject.slice(0, MAX_STORED_SUBJECT).replace(/[\uD800-\uDBFF]$/, "");
  const nonce = takeRandomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, prepare(key), nonce);
  const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString("base64");
}

/** Decrypts a subject. Returns null if there is none, its key was removed, or is another. */
export function openSubject(sealed: string | undefined, key: string | undefined): string | null {
  if (sealed === undefined || key === undefined) return null;
  try {
    return opened(sealed, key);
  } catch {
    // A damaged message must not hide the others of a list.
    return null;
  }
}

function opened(sealed: string, key: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const opening = createDecipheriv(CIPHER, prepare(key), nonce, options);
  opening.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = opening.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, opening.final()]).toString("utf8");
}

/** Node takes twice as long for a key that is a buffer. */
function prepare(key: string): KeyObject {
  return createSecretKey(Buffer.from(key, "base64"));
}
