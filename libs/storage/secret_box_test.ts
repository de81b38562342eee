import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { sealedSecretSchema } from "@posthaste/contracts";
import {
  type MasterKeys,
  readMasterKeys,
  readSealingKey,
  sealingKeyOf,
  writeSealingKey,
} from "./master_keys.ts";
import {
  MasterKeyMissingError,
  openSecret,
  rewrapSecret,
  sealSecret,
  type SecretBinding,
} from "./secret_box.ts";

const binding = {
  ...{ accountId: "acc_1", recordId: "acc_1/1", field: "password" },
  server: "smtp.example.com:587",
};
// Seals as the dashboard does: by the setting's text.
const seal = (text: string, { keys, ...bound }: SecretBinding & { keys: MasterKeys }) =>
  sealSecret(text, { ...bound, key: readSealingKey(writeSealingKey(sealingKeyOf(keys))) });
const setting = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;

test("openSecret() returns what sealSecret() sealed, and no two seals are alike", () => {
  const keys = readMasterKeys(setting("k1"));
  const one = seal("p4ss wörd", { ...binding, keys });
  const two = seal("p4ss wörd", { ...binding, keys });
  assert.deepEqual(sealedSecretSchema.parse(one), one);
  assert.equal(openSecret(one, { ...binding, keys }), "p4ss wörd");
  for (const part of ["ephemeralKey", "wrappedKey", "nonce", "ciphertext"] as const) {
    assert.notEqual(one[part], two[part]);
  }
});

test("openSecret() opens with a former master key, and reports which one is missing", () => {
  const [former, latter] = [setting("k1"), setting("k2")];
  const sealed = seal("secret", { ...binding, keys: readMasterKeys(former) });
  const both = readMasterKeys(`${latter},${former}`);
  assert.equal(openSecret(sealed, { ...binding, keys: both }), "secret");
  assert.equal(seal("secret", { ...binding, keys: both }).keyId, "k2");
  assert.throws(() => openSecret(sealed, { ...binding, keys: readMasterKeys(latter) }), {
    name: MasterKeyMissingError.name,
    message: 'Cannot open secret "password" of "acc_1/1": master key "k1" is not configured',
  });
});

test("openSecret() refuses another record, another key of the same id, and every changed part", () => {
  const keys = readMasterKeys(setting("k1"));
  const sealed = seal("hunter2", { ...binding, keys });
  const refused = (attempt: () => string) =>
    assert.throws(attempt, (error: Error) => {
      assert.match(
        error.message,
        /^Cannot open secret "password" of .*: it was changed, or sealed/,
      );
      assert.doesNotMatch(`${error.message}${error.stack}`, /hunter2/);
      return true;
    });
  refused(() => openSecret(sealed, { ...binding, accountId: "acc_2", keys }));
  refused(() => openSecret(sealed, { ...binding, recordId: "acc_1/2", keys }));
  refused(() => openSecret(sealed, { ...binding, keys: readMasterKeys(setting("k1")) }));
  const other = seal("other", { ...binding, keys });
  for (const part of ["ephemeralKey", "wrappedKey", "nonce", "ciphertext"] as const) {
    refused(() => openSecret({ ...sealed, [part]: other[part] }, { ...binding, keys }));
    refused(() => openSecret({ ...sealed, [part]: "" }, { ...binding, keys }));
    const longer = Buffer.concat([Buffer.from(sealed[part] ?? "", "base64"), Buffer.alloc(1)]);
    const changed = { ...sealed, [part]: longer.toString("base64") };
    refused(() => openSecret(changed, { ...binding, keys }));
  }
});

test("openSecret() refuses another field", () => {
  const keys = readMasterKeys(setting("k1"));
  const sealed = seal("hunter2", { ...binding, keys });
  assert.throws(() => openSecret(sealed, { ...binding, field: "user", keys }), /it was changed/);
});

test("openSecret() opens a password only for the server that it was sealed for", () => {
  const keys = readMasterKeys(setting("k1"));
  const sealed = seal("hunter2", { ...binding, keys });
  for (const server of ["evil.example:587", "smtp.example.com:2525", "", undefined]) {
    assert.throws(
      () => openSecret(sealed, { ...binding, server, keys }),
      /sealed for another record or server/,
    );
  }
});

test("sealSecret() needs no key that opens its results", () => {
  const keys = readMasterKeys(setting("k1"));
  const written = writeSealingKey(sealingKeyOf(keys));
  assert.match(written, /^k1:[A-Za-z0-9+/]{43}=$/);
  const sealed = seal("hunter2", { ...binding, keys });
  // Neither as a master key, nor in the earlier way of sealing.
  const thief = readMasterKeys(written);
  assert.throws(() => openSecret(sealed, { ...binding, keys: thief }), /it was changed/);
  const { ephemeralKey: _, ...older } = sealed;
  for (const each of [thief, keys]) {
    assert.throws(() => openSecret(older, { ...binding, keys: each }), /it was changed/);
  }
});

test("readSealingKey() refuses texts that are no public key, and points of small order", () => {
  const base64 = (bytes: Buffer) => bytes.toString("base64");
  const small = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
  const settings = ["", "k1", "k1:abc", `k1:${base64(Buffer.alloc(32))}`].concat(
    `k1:${base64(Buffer.from(small, "hex"))}`,
  );
  for (const text of settings) {
    assert.throws(() => readSealingKey(text), /^TypeError: Cannot read the sealing key: /);
  }
});

test("readMasterKeys() refuses other forms without printing the key", () => {
  const short = randomBytes(16).toString("base64");
  for (const text of ["", "k1", `k1:${short}`, `:${setting("x").slice(2)}`, `${setting("k1")},`]) {
    assert.throws(() => readMasterKeys(text), (error: Error) => {
      assert.match(error.message, /^Cannot read master key [12]: expected an id/);
      assert.doesNotMatch(error.message, new RegExp(short.slice(0, 8).replace(/[+/]/g, ".")));
      return true;
    });
  }
  assert.throws(
    () => readMasterKeys(`${setting("k1")},${setting("k1")}`),
    /"k1" appears twice/,
  );
});

test("rewrapSecret() wraps the key of a secret again, and leaves the sealed text as it is", () => {
  const [former, latter] = [setting("k1"), setting("k2")];
  const sealed = seal("secret", { ...binding, keys: readMasterKeys(former) });
  const both = readMasterKeys(`${latter},${former}`);
  const rewrapped = rewrapSecret(sealed, { ...binding, keys: both });
  const rest = { keyId: "", ephemeralKey: "", wrappedKey: "" };
  assert.deepEqual({ ...rewrapped, ...rest }, { ...sealed, ...rest });
  assert.equal(openSecret(rewrapped, { ...binding, keys: readMasterKeys(latter) }), "secret");
  assert.throws(() => openSecret(rewrapped, { ...binding, keys: readMasterKeys(former) }), {
    name: MasterKeyMissingError.name,
  });
  assert.equal(rewrapSecret(rewrapped, { ...binding, keys: both }), rewrapped);
});

test("rewrapSecret() moves no secret to another account, record or field, and repairs none", () => {
  const [former, latter] = [setting("k1"), setting("k2")];
  const sealed = seal("secret", { ...binding, keys: readMasterKeys(former) });
  const keys = readMasterKeys(`${latter},${former}`);
  const other = {
    ...{ accountId: "acc_2", recordId: "acc_1/2", field: "user" },
    server: "evil.example:587",
  };
  for (const name of ["accountId", "recordId", "field", "server"] as const) {
    const moved = { ...binding, [name]: other[name] };
    assert.throws(() => rewrapSecret(sealed, { ...moved, keys }), /^Error: Cannot open secret/);
    assert.throws(
      () => openSecret(rewrapSecret(sealed, { ...binding, keys }), { ...moved, keys }),
      /^Error: Cannot open secret/,
    );
  }
  const changed = { ...sealed, wrappedKey: sealed.ciphertext };
  assert.throws(() => rewrapSecret(changed, { ...binding, keys }), /it was changed/);
  assert.throws(() => rewrapSecret(sealed, { ...binding, keys: readMasterKeys(latter) }), {
    name: MasterKeyMissingError.name,
  });
});

test("sealSecret() refuses names that could be read as two", () => {
  const keys = readMasterKeys(setting("k1"));
  for (const name of ["accountId", "recordId", "field", "server"] as const) {
    assert.throws(
      () => seal("secret", { ...binding, [name]: "a|b", keys }),
      /a name contains "\|"/,
    );
  }
});
