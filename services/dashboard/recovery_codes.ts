import { hash, randomInt } from "node:crypto";

const COUNT = 10;
/** 10 characters of 31 are 49 bits, and the limits allow only a few attempts a minute. */
const LENGTH = 10;
/** Without characters that look alike. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

/** Generates recovery codes, such as `k3vqm-x8w2p`: each is accepted once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
      "",
    );
    return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
  });
}

/** Returns the stored form of a code, however it was typed. */
export function hashRecoveryCode(code: string): string {
  const plain = code.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return hash("sha256", plain, "hex");
}
