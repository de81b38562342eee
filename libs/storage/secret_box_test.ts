import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { sealedSecretSchema } from "@posthaste/contracts";
import {
  MasterKeyMissingError,
  openSecret,
  readMasterKeys,
  rewrapSecret,
  sealSecret,
} from "./secret_box.ts";

const binding = { accountId: "acc_1", recordId: "acc_1/1", field: "password" };
const setting = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;

test("openSecret() gives back what sealSecret() sealed, and no two seals are alike", () => {
  const keys = readMasterKeys(setting("k1"));
  const one = sealSecret("p4ss wörd", { ...binding, keys });
  const two = sealSecret("p4ss wörd", { ...binding, keys });
  assert.deepEqual(sealedSecretSchema.parse(one), one);
  assert.equal(openSecret(one, { ...binding, keys }), "p4ss wörd");
  for (const part of ["wrappedKey", "nonce", "ciphertext"] as const) {
    assert.notEqual(one[part], two[part]);
  }
});

test("openSecret() opens with a former master key, and says which one is missing", () => {
  const [former, latter] = [setting("k1"), setting("k2")];
  const sealed = sealSecret("secret", { ...binding, keys: readMasterKeys(former) });
  const both = readMasterKeys(`${latter},${former}`);
  assert.equal(openSecret(sealed, { ...binding, keys: both }), "secret");
  assert.equal(sealSecret("secret", { ...binding, keys: both }).keyId, "k2");
  assert.throws(() => openSecret(sealed, { ...binding, keys: readMasterKeys(latter) }), {
    name: MasterKeyMissingError.name,
    message: 'Cannot open secret "password" of "acc_1/1": master key "k1" is not configured',
  });
});

test("openSecret() refuses another record, another key of the same id, and every changed part", () => {
  const keys = readMasterKeys(setting("k1"));
  const sealed = sealSecret("hunter2", { ...binding, keys });
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
  const other = sealSecret("other", { ...binding, keys });
  for (const part of ["wrappedKey", "nonce", "ciphertext"] as const) {
    refused(() => openSecret({ ...sealed, [part]: other[part] }, { ...binding, keys }));
    refused(() => openSecret({ ...sealed, [part]: "" }, { ...binding, keys }));
  }
});

test("openSecret() refuses another field", () => {
  const keys = readMasterKeys(setting("k1"));
  const sealed = sealSecret("hunter2", { ...binding, keys });
  assert.throws(() => openSecret(sealed, { ...binding, field: "user", keys }), /it was changed/);
});

test("sealSecret() keeps the current secret as long as text and master key are the same", () => {
  const former = setting("k1");
  const keys = readMasterKeys(former);
  const current = sealSecret("secret", { ...binding, keys });
  assert.equal(sealSecret("secret", { ...binding, keys, current }), current);
  assert.notEqual(sealSecret("changed", { ...binding, keys, current }), current);
  const rotated = readMasterKeys(`${setting("k2")},${former}`);
  assert.equal(sealSecret("secret", { ...binding, keys: rotated, current }).keyId, "k2");
});

test("readMasterKeys() refuses other forms without telling the key", () => {
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
    /"k1" stands there twice/,
  );
});

test("rewrapSecret() wraps the key of a secret again, and leaves the sealed text as it is", () => {
  const [former, latter] = [setting("k1"), setting("k2")];
  const sealed = sealSecret("secret", { ...binding, keys: readMasterKeys(former) });
  const both = readMasterKeys(`${latter},${former}`);
  const rewrapped = rewrapSecret(sealed, { ...binding, keys: both });
  assert.deepEqual({ ...rewrapped, wrappedKey: "", keyId: "" }, {
    ...sealed,
    wrappedKey: "",
    keyId: "",
  });
  assert.equal(openSecret(rewrapped, { ...binding, keys: readMasterKeys(latter) }), "secret");
  assert.throws(() => openSecret(rewrapped, { ...binding, keys: readMasterKeys(former) }), {
    name: MasterKeyMissingError.name,
  });
  assert.equal(rewrapSecret(rewrapped, { ...binding, keys: both }), rewrapped);
});

test("rewrapSecret() moves no secret to another account, record or field, and heals none", () => {
  const [former, latter] = [setting("k1"), setting("k2")];
  const sealed = sealSecret("secret", { ...binding, keys: readMasterKeys(former) });
  const keys = readMasterKeys(`${latter},${former}`);
  const other = { accountId: "acc_2", recordId: "acc_1/2", field: "user" };
  for (const name of ["accountId", "recordId", "field"] as const) {
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

test("sealSecret() takes no name that could be read as two", () => {
  const keys = readMasterKeys(setting("k1"));
  for (const name of ["accountId", "recordId", "field"] as const) {
    assert.throws(
      () => sealSecret("secret", { ...binding, [name]: "a|b", keys }),
      /a name holds "\|"/,
    );
  }
});
