import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { SealedSecret } from "@posthaste/contracts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/** Field that an integration's password is bound to. */
export const INTEGRATION_PASSWORD = "auth.password";

/** Field that the private key is bound to with which an integration's mail is signed. */
export const INTEGRATION_DKIM_KEY = "dkim.privateKey";

/** The keys under which records' own keys are wrapped. They do not print. */
export interface MasterKeys {
  /** Id of the key that new secrets are sealed under. */
  currentId: string;
  /** Every key that secrets may still be sealed under, by its id. */
  byId: ReadonlyMap<string, KeyObject>;
}

/** What a secret belongs to: it opens nowhere else. */
export interface SecretBinding {
  accountId: string;
  /** Id of the document that holds it. */
  recordId: string;
  /** Name of the field in that document. */
  field: string;
}

/** Where and under what a text is sealed. */
export interface SealOptions extends SecretBinding {
  keys: MasterKeys;
  /** Kept when it holds the same text under the current key: so a set-up can run again unchanged. */
  current?: SealedSecret | null | undefined;
}

/**
 * Reads master keys from a setting: `id:base64` with 32 bytes each, separated by commas. The first
 * seals; the others only open what was sealed before they were replaced.
 *
 * @throws {TypeError} If the setting has another form. The message holds no key.
 */
export function readMasterKeys(setting: string): MasterKeys {
  const byId = new Map<string, KeyObject>();
  for (const [position, part] of setting.split(",").entries()) {
    const [, id, encoded] = /^([\w.-]+):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? [];
    if (id === undefined || encoded === undefined) {
      throw keyFault(position, `expected an id, a colon and ${KEY_BYTES} bytes in base64`);
    }
    if (byId.has(id)) throw keyFault(position, `the id "${id}" stands there twice`);
    byId.set(id, createSecretKey(encoded, "base64"));
  }
  const [currentId] = byId.keys();
  if (currentId === undefined) throw keyFault(0, "there is none");
  return { currentId, byId };
}

function keyFault(position: number, reason: string): TypeError {
  return new TypeError(`Cannot read master key ${position + 1}: ${reason}`);
}

/**
 * Seals a text with AES-256-GCM under a key of its own, which is wrapped by the current master key.
 * Both are bound to the account, the record and the field.
 *
 * @throws {TypeError} If the name of one of these holds a `|`, which stands between them.
 */
export function sealSecret(text: string, options: SealOptions): SealedSecret {
  const { keys, current } = options;
  if (current?.keyId === keys.currentId && holds(current, text, options)) return current;
  const key = randomBytes(KEY_BYTES);
  const aad = aadOf(options);
  const nonce = randomBytes(NONCE_BYTES);
  return {
    keyId: keys.currentId,
    wrappedKey: wrapKey(key, options),
    nonce: nonce.toString("base64"),
    ciphertext: encrypt(Buffer.from(text), { key: createSecretKey(key), nonce, aad })
      .toString("base64"),
  };
}

/** A secret is sealed under a master key that this process was not given, and others may have been. */
export class MasterKeyMissingError extends Error {
  override readonly name = "MasterKeyMissingError";
}

/**
 * Opens a sealed text. Only the mailer does so (`tools/import_rules.ts`).
 *
 * @throws {MasterKeyMissingError} If its master key is not among the keys.
 * @throws {Error} If it was sealed for another record or field, or it was changed. No message holds a
 * secret.
 */
export function openSecret(
  sealed: SealedSecret,
  options: SecretBinding & { keys: MasterKeys },
): string {
  const key = unwrapKey(sealed, options);
  const nonce = Buffer.from(sealed.nonce, "base64");
  const ciphertext = Buffer.from(sealed.ciphertext, "base64");
  try {
    return decrypt(ciphertext, { key: createSecretKey(key), nonce, aad: aadOf(options) })
      .toString();
  } catch {
    throw secretFault(options, WRONG);
  }
}

/**
 * Tells whether the master keys open a sealed text, without opening it.
 *
 * @throws {MasterKeyMissingError} If its master key is not among the keys.
 * @throws {Error} If it was sealed under another key of that name, for another record or field.
 */
export function checkSecret(
  sealed: SealedSecret,
  options: SecretBinding & { keys: MasterKeys },
): void {
  unwrapKey(sealed, options);
}

/**
 * Wraps the key of a sealed text again, under the current master key: the text itself stays sealed.
 * Gives what it was given if that is done already.
 *
 * @throws {MasterKeyMissingError} If its master key is not among the keys.
 * @throws {Error} If it was sealed for another record or field, or its key was changed.
 */
export function rewrapSecret(
  sealed: SealedSecret,
  options: SecretBinding & { keys: MasterKeys },
): SealedSecret {
  const { currentId } = options.keys;
  if (sealed.keyId === currentId) return sealed;
  return { ...sealed, keyId: currentId, wrappedKey: wrapKey(unwrapKey(sealed, options), options) };
}

const WRONG = "it was changed, or sealed for another record or by another key";

function wrapKey(key: Buffer, options: SecretBinding & { keys: MasterKeys }): string {
  const nonce = randomBytes(NONCE_BYTES);
  const masterKey = masterKeyOf(options.keys.currentId, options);
  const wrapped = encrypt(key, { key: masterKey, nonce, aad: aadOf(options) });
  return Buffer.concat([nonce, wrapped]).toString("base64");
}

function unwrapKey(sealed: SealedSecret, options: SecretBinding & { keys: MasterKeys }): Buffer {
  const key = masterKeyOf(sealed.keyId, options);
  const wrapped = Buffer.from(sealed.wrappedKey, "base64");
  const nonce = wrapped.subarray(0, NONCE_BYTES);
  try {
    return decrypt(wrapped.subarray(NONCE_BYTES), { key, nonce, aad: aadOf(options) });
  } catch {
    throw secretFault(options, WRONG);
  }
}

interface CipherInput {
  key: KeyObject;
  nonce: Buffer;
  aad: Buffer;
}

function encrypt(plain: Buffer, { key, nonce, aad }: CipherInput): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(aad);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(sealed: Buffer, { key, nonce, aad }: CipherInput): Buffer {
  const tag = sealed.subarray(-TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(aad).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
}

function holds(sealed: SealedSecret, text: string, options: SealOptions): boolean {
  try {
    return openSecret(sealed, options) === text;
  } catch {
    return false;
  }
}

function aadOf({ accountId, recordId, field }: SecretBinding): Buffer {
  if ([accountId, recordId, field].some((name) => name.includes("|"))) {
    throw new TypeError(`Cannot bind a secret to "${field}" of "${recordId}": a name holds "|"`);
  }
  return Buffer.from(`${accountId}|${recordId}|${field}`);
}

function masterKeyOf(id: string, options: SecretBinding & { keys: MasterKeys }): KeyObject {
  const key = options.keys.byId.get(id);
  if (key !== undefined) return key;
  throw new MasterKeyMissingError(faultOf(options, `master key "${id}" is not configured`));
}

function secretFault(binding: SecretBinding, reason: string): Error {
  return new Error(faultOf(binding, reason));
}

function faultOf({ recordId, field }: SecretBinding, reason: string): string {
  return `Cannot open secret "${field}" of "${recordId}": ${reason}`;
}
