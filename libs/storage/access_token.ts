import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
const SECRET_CHARS = 43;
const CHECKSUM_CHARS = 6;
const TOKEN_PATTERN = /^ph_[0-9A-Za-z]{49}$/;
const PREFIX_CHARS = 9;

function base62(value: bigint, chars: number): string {
  let text = "";
  let rest = value;
  while (text.length < chars) {
    text = ALPHABET[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_CHARS);
}

/**
 * Makes an access token: `ph_`, 32 random bytes as 43 digits of base 62, and the CRC32 of all that as 6 more.
 * By prefix and checksum, scanners find leaked tokens, and typing errors are recognised without I/O.
 */
export function generateAccessToken(): string {
  const secret = BigInt(`0x${randomBytes(SECRET_BYTES).toString("hex")}`);
  const text = `ph_${base62(secret, SECRET_CHARS)}`;
  return text + checksumOf(text);
}

/** Returns whether a text has the shape and the checksum of an access token; not whether it is known. */
export function isAccessToken(text: string): boolean {
  return TOKEN_PATTERN.test(text) &&
    checksumOf(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS);
}

/**
 * Returns the SHA-256 of a token, in hex: only this is stored of it. A fast hash is right for 256 random
 * bits, and the timing of a look-up by hash reveals nothing about the token.
 */
export function hashAccessToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Returns the first characters of a token, by which people recognise it. */
export function prefixOf(token: string): string {
  return token.slice(0, PREFIX_CHARS);
}
