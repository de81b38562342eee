import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { SealedSecret } from "@posthaste/contracts";
import {
  type MasterKey,
  type MasterKeys,
  publicKeyOf,
  rawBytesOf,
  type SealingKey,
  sealingKeyOf,
} from "./master_keys.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const WRAP_INFO = "posthaste sealed secret";

/** Field that an integration's password is bound to. */
export const INTEGRATION_PASSWORD = "auth.password";

/** Fields that the secrets of an integration's login are bound to. */
export const LOGIN_SECRETS = [
  INTEGRATION_PASSWORD,
  "auth.clientSecret",
  "auth.refreshToken",
  "auth.privateKey",
] as const;

/** Field that the private key for an integration's DKIM signatures is bound to. */
export const INTEGRATION_DKIM_KEY = "dkim.privateKey";

/** Field that the secret of a webhook endpoint is bound to. */
export const WEBHOOK_SECRET = "secrets";

/** The place that a secret belongs to. It opens nowhere else. */
export interface SecretBinding {
  accountId: string;
  /** Id of the document that holds it. */
  recordId: string;
  /** Name of the field in that document. */
  field: string;
  /** The only server that may receive it, as `host:port`; none if no server receives it. */
  server?: string | undefined;
}

/** An integration, whose secrets only its own server may receive. */
export interface BoundIntegration {
  accountId: string;
  recordId: string;
  host: string;
  port: number;
}

/** Returns the binding of an integration's password. */
export function bindPassword(integration: BoundIntegration): SecretBinding {
  return bindLogin(integration, INTEGRATION_PASSWORD);
}

/**
 * Returns the binding of a secret of an integration's login. Secrets that a provider receives are bound to
 * the SMTP server, too, because it receives the access token.
 */
export function bindLogin(
  { accountId, recordId, host, port }: BoundIntegration,
  field: (typeof LOGIN_SECRETS)[number],
): SecretBinding {
  return { accountId, recordId, field, server: `${host}:${port}` };
}

/**
 * Seals a text with AES-256-GCM under a key of its own. That key is wrapped for the holder of a master key:
 * under a secret shared by X25519 (RFC 7748) with a key pair generated for this only, by HKDF-SHA-256. A
 * process that seals cannot open its own results.
 *
 * @throws {TypeError} If one of the names in the binding contains a `|`, which separates them.
 */
export function sealSecret(
  text: string,
  options: SecretBinding & { key: SealingKey },
): SealedSecret {
  const key = randomBytes(KEY_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  return {
    ...wrapKey(key, options),
    nonce: nonce.toString("base64"),
    ciphertext: encrypt(Buffer.from(text), {
      ...{ key: createSecretKey(key), nonce, aad: textAadOf(options) },
    }).toString("base64"),
  };
}

/** A secret is sealed to a master key that this process does not have. Other processes may have it. */
export class MasterKeyMissingError extends Error {
  override readonly name = "MasterKeyMissingError";
}

/**
 * Opens a sealed text. Only the mailer and the webhooks service do so (`tools/import_rules.ts`).
 *
 * @throws {MasterKeyMissingError} If its master key is not among the keys.
 * @throws {Error} If it was sealed for another record, field or server, or it was changed. No message
 * contains a secret.
 */
export function openSecret(
  sealed: SealedSecret,
  options: SecretBinding & { keys: MasterKeys },
): string {
  const key = unwrapKey(sealed, options);
  const nonce = Buffer.from(sealed.nonce, "base64");
  const ciphertext = Buffer.from(sealed.ciphertext, "base64");
  try {
    return decrypt(ciphertext, { key: createSecretKey(key), nonce, aad: textAadOf(options) })
      .toString();
  } catch {
    throw secretFault(options);
  }
}

/**
 * Returns whether the master keys open a sealed text, without opening it.
 *
 * @throws {MasterKeyMissingError} If its master key is not among the keys.
 * @throws {Error} If it was sealed to another key of that name, for another record, field or server.
 */
export function checkSecret(
  sealed: SealedSecret,
  options: SecretBinding & { keys: MasterKeys },
): void {
  unwrapKey(sealed, options);
}

/** Returns whether a secret is sealed to a master key in the current way. */
export function isSealedTo(sealed: SealedSecret, keyId: string): boolean {
  return sealed.keyId === keyId && sealed.ephemeralKey !== undefined;
}

/**
 * Wraps the key of a sealed text again, for the current master key; the text itself stays sealed. Returns its
 * input if there is nothing to change.
 *
 * @throws {MasterKeyMissingError} If its master key is not among the keys.
 * @throws {Error} If it was sealed for another record, field or server, or its key was changed.
 */
export function rewrapSecret(
  sealed: SealedSecret,
  options: SecretBinding & { keys: MasterKeys },
): SealedSecret {
  const { keys } = options;
  if (isSealedTo(sealed, keys.currentId)) return sealed;
  const key = unwrapKey(sealed, options);
  return { ...sealed, ...wrapKey(key, { ...options, key: sealingKeyOf(keys) }) };
}

type WrappedKey = Pick<SealedSecret, "keyId" | "ephemeralKey" | "wrappedKey">;

function wrapKey(key: Buffer, options: SecretBinding & { key: SealingKey }): WrappedKey {
  const { id, publicKey } = options.key;
  const ephemeral = generateKeyPairSync("x25519");
  const shared = shareKey({
    shared: diffieHellman({ privateKey: ephemeral.privateKey, publicKey }),
    ephemeralKey: ephemeral.publicKey,
    publicKey,
  });
  // The key encrypts only this text, so its nonce need not be random.
  const nonce = Buffer.alloc(NONCE_BYTES);
  return {
    keyId: id,
    ephemeralKey: rawBytesOf(ephemeral.publicKey).toString("base64"),
    wrappedKey: encrypt(key, { key: shared, nonce, aad: keyAadOf(options) }).toString("base64"),
  };
}

function unwrapKey(sealed: SealedSecret, options: SecretBinding & { keys: MasterKeys }): Buffer {
  const masterKey = masterKeyOf(sealed.keyId, options);
  const wrapped = Buffer.from(sealed.wrappedKey, "base64");
  try {
    if (sealed.ephemeralKey === undefined) return unwrapBySecretKey(wrapped, masterKey, options);
    const ephemeralKey = publicKeyOf(Buffer.from(sealed.ephemeralKey, "base64"));
    const { privateKey, sealingKey: { publicKey } } = masterKey;
    const shared = shareKey({
      shared: diffieHellman({ privateKey, publicKey: ephemeralKey }),
      ephemeralKey,
      publicKey,
    });
    return decrypt(wrapped, {
      ...{ key: shared, nonce: Buffer.alloc(NONCE_BYTES), aad: keyAadOf(options) },
    });
  } catch {
    throw secretFault(options);
  }
}

/** Unwraps secrets from before there were sealing keys. They are bound to no server. */
function unwrapBySecretKey(
  wrapped: Buffer,
  { secretKey: key }: MasterKey,
  options: SecretBinding,
): Buffer {
  const nonce = wrapped.subarray(0, NONCE_BYTES);
  return decrypt(wrapped.subarray(NONCE_BYTES), { key, nonce, aad: textAadOf(options) });
}

/** Derives the key of AES-256 from a shared secret and both public keys (RFC 7748, section 6.1). */
function shareKey(
  { shared, ephemeralKey, publicKey }: {
    shared: Buffer;
    ephemeralKey: KeyObject;
    publicKey: KeyObject;
  },
): KeyObject {
  const salt = Buffer.concat([rawBytesOf(ephemeralKey), rawBytesOf(publicKey)]);
  return createSecretKey(Buffer.from(hkdfSync("sha256", shared, salt, WRAP_INFO, KEY_BYTES)));
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

function textAadOf({ accountId, recordId, field }: SecretBinding): Buffer {
  return joinNames([accountId, recordId, field], { recordId, field });
}

function keyAadOf({ accountId, recordId, field, server = "" }: SecretBinding): Buffer {
  return joinNames([accountId, recordId, field, server], { recordId, field });
}

function joinNames(
  names: readonly string[],
  { recordId, field }: Pick<SecretBinding, "recordId" | "field">,
): Buffer {
  if (names.some((name) => name.includes("|"))) {
    throw new TypeError(`Cannot bind a secret to "${field}" of "${recordId}": a name contains "|"`);
  }
  return Buffer.from(names.join("|"));
}

function masterKeyOf(id: string, options: SecretBinding & { keys: MasterKeys }): MasterKey {
  const key = options.keys.byId.get(id);
  if (key !== undefined) return key;
  throw new MasterKeyMissingError(faultOf(options, `master key "${id}" is not configured`));
}

function secretFault(binding: SecretBinding): Error {
  const reason = "it was changed, or sealed for another record or server, or to another key";
  return new Error(faultOf(binding, reason));
}

function faultOf({ recordId, field }: SecretBinding, reason: string): string {
  return `Cannot open secret "${field}" of "${recordId}": ${reason}`;
}
