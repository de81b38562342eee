import { createPrivateKey, randomBytes } from "node:crypto";

/**
 * Returns a text that reads as an RSA key, and was made without a search for primes. Its other numbers are so small
 * that a signature needs the slow way.
 *
 * @param bits Of the modulus, a multiple of 8.
 * @returns PKCS #8 as PEM.
 */
export function largeRsaKey(bits: number): string {
  const odd = () => {
    const bytes = randomBytes(bits / 8);
    bytes[0] = (bytes[0] ?? 0) | 0x80;
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
    return bytes.toString("base64url");
  };
  const three = Buffer.from([3]).toString("base64url");
  const primes = { p: three, q: three, dp: three, dq: three, qi: three };
  const key = { kty: "RSA", n: odd(), e: "AQAB", d: odd(), ...primes };
  return String(createPrivateKey({ format: "jwk", key }).export({ type: "pkcs8", format: "pem" }));
}
