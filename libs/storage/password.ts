import { MAX_PASSWORD, MIN_PASSWORD } from "@posthaste/contracts";
import crypto, { randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** The cost of argon2id: `memory` in KiB, the `passes` over it, and its degree of `parallelism`. */
export interface PasswordCost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** The minimum of OWASP's Password Storage Cheat Sheet. */
export const PASSWORD_COST: Readonly<PasswordCost> = { memory: 19_456, passes: 2, parallelism: 1 };

const TAG_BYTES = 32;
const SALT_BYTES = 16;
const PHC_PATTERN =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** The input of argon2id. */
interface TagOrder {
  message: string;
  nonce: Buffer;
  cost: PasswordCost;
  /** In bytes. */
  tagLength: number;
}

// Deno 2.9 has argon2id only in WebCrypto, and Node 24 calls it experimental there.
const derive = crypto.argon2 === undefined ? deriveByWebCrypto : deriveByNode;

/** A password that needs fewer guesses falls to an attacker who tries common ones first. */
const MIN_GUESSES = 1e8;

/** For much longer texts, the estimate takes more than a tenth of a second. */
const ESTIMATED_CHARS = 64;

/**
 * Returns why a password is not acceptable for the owner of an address, or `undefined` if it is. Checks its
 * length, the address itself, and whether it is common, or made of common ones, of dates or of rows of keys
 * (by zxcvbn, whose list has the 40,000 most used).
 */
export async function passwordFault(password: string, email: string): Promise<string | undefined> {
  const { length } = [...password];
  if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`;
  if (length > MAX_PASSWORD) return `must not have more than ${MAX_PASSWORD} characters`;
  if (password.trim().toLowerCase() === email.trim().toLowerCase()) {
    return "must not be the email address";
  }
  // The list is loaded on demand: most processes never set a password.
  const { estimateGuesses } = await import("./_password_guesses.ts");
  const guesses = estimateGuesses(password.slice(0, ESTIMATED_CHARS), email);
  return guesses < MIN_GUESSES ? "is too easy to guess: use several unrelated words" : undefined;
}

/** Returns the stored form of a password: a PHC string of argon2id. Takes 19 MiB while it works. */
export async function hashPassword(
  password: string,
  cost: PasswordCost = PASSWORD_COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await tagOf(password, { cost, salt, length: TAG_BYTES });
  const { memory, passes, parallelism } = cost;
  const costs = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${costs}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Returns whether a password matches the stored one. Compares in constant time.
 *
 * @throws {TypeError} If the stored text is no PHC string of argon2id. The message does not contain it.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { cost, salt, tag } = readPhc(stored);
  return timingSafeEqual(await tagOf(password, { cost, salt, length: tag.length }), tag);
}

/** Returns whether a stored password was hashed at a lower cost than now, and should be hashed again. */
export function isOutdated(stored: string, cost: PasswordCost = PASSWORD_COST): boolean {
  const { cost: { memory, passes, parallelism } } = readPhc(stored);
  return memory < cost.memory || passes < cost.passes || parallelism < cost.parallelism;
}

function readPhc(stored: string): { cost: PasswordCost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] = PHC_PATTERN.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) {
    throw new TypeError("Cannot read a stored password: it is not an argon2id PHC string");
  }
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

function tagOf(
  password: string,
  { cost, salt, length }: { cost: PasswordCost; salt: Buffer; length: number },
): Promise<Buffer> {
  // The same password may be typed as different code points (NIST SP 800-63B, 3.1.1.2).
  const message = password.normalize("NFKC");
  return derive({ message, nonce: salt, cost, tagLength: length });
}

function deriveByNode({ cost, ...order }: TagOrder): Promise<Buffer> {
  return promisify(crypto.argon2)("argon2id", { ...cost, ...order });
}

async function deriveByWebCrypto({ message, cost, ...order }: TagOrder): Promise<Buffer> {
  const { subtle } = crypto.webcrypto;
  const secret = Buffer.from(message);
  const key = await subtle.importKey("raw-secret", secret, "Argon2id", false, ["deriveBits"]);
  const algorithm = { name: "Argon2id", ...cost, nonce: order.nonce };
  return Buffer.from(await subtle.deriveBits(algorithm, key, order.tagLength * 8));
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
