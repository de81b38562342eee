import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";

const KEY_BYTES = 32;

/** DER of a key of X25519 (RFC 8410, section 7) before its 32 bytes. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b656e032100", "hex");

/** Separates keys derived from a master key from what it seals itself (RFC 5869, `info`). */
const PRIVATE_INFO = "posthaste sealing key";

/** A master key and the keys derived from it. It does not print. */
export interface MasterKey {
  /** AES-256: opens secrets that were sealed before there were sealing keys. */
  secretKey: KeyObject;
  /** X25519, derived from the master key: opens secrets sealed to its public half. */
  privateKey: KeyObject;
  sealingKey: SealingKey;
}

/** The keys that open secrets. */
export interface MasterKeys {
  /** Id of the key that new secrets are sealed to. */
  currentId: string;
  /** Every key that secrets may still be sealed to, by its id. */
  byId: ReadonlyMap<string, MasterKey>;
}

/** The public half of a master key. It seals, and cannot open. */
export interface SealingKey {
  /** Id of the master key. */
  id: string;
  /** X25519. */
  publicKey: KeyObject;
}

/**
 * Reads master keys from a setting: `id:base64` with 32 bytes each, separated by commas. New secrets are
 * sealed to the first; the others only open older secrets.
 *
 * @throws {TypeError} If the setting has another form. The message contains no key.
 */
export function readMasterKeys(setting: string): MasterKeys {
  const byId = new Map<string, MasterKey>();
  for (const [position, part] of setting.split(",").entries()) {
    const { id, bytes } = readKey(part, `master key ${position + 1}`);
    if (byId.has(id)) {
      throw keyFault(`master key ${position + 1}`, `the id "${id}" appears twice`);
    }
    byId.set(id, deriveKeys(id, bytes));
  }
  const [currentId] = byId.keys();
  if (currentId === undefined) throw keyFault("master key 1", "it is empty");
  return { currentId, byId };
}

/**
 * Reads a sealing key as {@linkcode writeSealingKey} writes it.
 *
 * @throws {TypeError} If it has another form, or is a public key of small order.
 */
export function readSealingKey(setting: string): SealingKey {
  const { id, bytes } = readKey(setting, "the sealing key");
  const publicKey = publicKeyOf(bytes);
  try {
    // Points of small order result in the same secret for everyone (RFC 7748, section 6.1): OpenSSL refuses.
    diffieHellman({ privateKey: generateKeyPairSync("x25519").privateKey, publicKey });
  } catch {
    throw keyFault("the sealing key", "it is not a public key");
  }
  return { id, publicKey };
}

/** Writes a sealing key as a setting: the id of its master key, a colon and 32 bytes in base64. */
export function writeSealingKey({ id, publicKey }: SealingKey): string {
  return `${id}:${rawBytesOf(publicKey).toString("base64")}`;
}

/** Returns the public half of the current master key. */
export function sealingKeyOf({ currentId, byId }: MasterKeys): SealingKey {
  return (byId.get(currentId) as MasterKey).sealingKey;
}

/** Returns the 32 bytes of a public key of X25519. */
export function rawBytesOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: "der", type: "spki" }).subarray(PUBLIC_PREFIX.length);
}

/**
 * Reads a public key of X25519 from its 32 bytes.
 *
 * @throws {TypeError} If there are more or fewer. Otherwise bytes after a key in DER would be ignored.
 */
export function publicKeyOf(bytes: Buffer): KeyObject {
  if (bytes.length !== KEY_BYTES) throw keyFault("a public key", `it has ${bytes.length} bytes`);
  return createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, bytes]),
    format: "der",
    type: "spki",
  });
}

function deriveKeys(id: string, bytes: Buffer): MasterKey {
  const derived = Buffer.from(hkdfSync("sha256", bytes, "", PRIVATE_INFO, KEY_BYTES));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, derived]),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(privateKey);
  return { secretKey: createSecretKey(bytes), privateKey, sealingKey: { id, publicKey } };
}

function readKey(setting: string, name: string): { id: string; bytes: Buffer } {
  const [, id, encoded] = /^([\w.-]+):([A-Za-z0-9+/]{43}=)$/.exec(setting.trim()) ?? [];
  if (id === undefined || encoded === undefined) {
    throw keyFault(name, `expected an id, a colon and ${KEY_BYTES} bytes in base64`);
  }
  return { id, bytes: Buffer.from(encoded, "base64") };
}

function keyFault(name: string, reason: string): TypeError {
  return new TypeError(`Cannot read ${name}: ${reason}`);
}
