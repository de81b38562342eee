import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { canaryOf, searchFor, type Secret, withoutSecrets } from "./secret.ts";

const PASSWORD: Secret = { name: "the password", value: canaryOf("test") };
const KEY: Secret = { name: "the key", value: randomBytes(32).toString("latin1") };
const search = searchFor([PASSWORD, KEY]);

test("searchFor() finds a secret in plain text, in hex, in a URL and in JSON, and returns its name", () => {
  const { value } = PASSWORD;
  assert.deepEqual(search(`{"message":"logs in with ${value}"}`), ["the password in the clear"]);
  assert.deepEqual(search(Buffer.from(value).toString("hex")), ["the password in hex"]);
  assert.equal(search(`smtp://user:${encodeURIComponent(value)}@host`).length, 1);
  const odd = searchFor([{ name: "odd", value: 'a"b/c d\\e=' }]);
  assert.deepEqual(odd("a%22b%2Fc%20d%5Ce%3D"), ["odd in a URL"]);
  assert.deepEqual(odd(JSON.stringify({ x: 'a"b/c d\\e=' })), ["odd in JSON"]);
});

test("searchFor() finds a secret in base64 at any position, as in AUTH PLAIN", () => {
  for (const user of ["", "u", "us", "chaos"]) {
    const login = Buffer.from(`\0${user}\0${PASSWORD.value}`).toString("base64");
    assert.equal(search(`AUTH PLAIN ${login}`).length, 1, user);
  }
  for (let before = 0; before < 4; before++) {
    const bytes = Buffer.concat([
      Buffer.alloc(before, 1),
      Buffer.from(KEY.value, "latin1"),
      Buffer.alloc(before, 255),
    ]);
    const leaks = [
      search(bytes),
      search(bytes.toString("base64")),
      search(bytes.toString("base64url")),
      search(`x=${encodeURIComponent(bytes.toString("base64"))}`),
    ];
    for (const found of leaks) assert.match(found.join(), /^the key in /);
  }
});

test("searchFor() finds nothing in texts without a secret, or with half of one", () => {
  const { value } = PASSWORD;
  assert.deepEqual(search(value.slice(0, -1)), []);
  assert.deepEqual(search(canaryOf("another test")), []);
  assert.deepEqual(search(randomBytes(100_000)), []);
});

test("withoutSecrets() keeps the rest of a text", () => {
  const login = Buffer.from(PASSWORD.value).toString("base64").replace(/=+$/, "");
  const shown = withoutSecrets(`user ${PASSWORD.value}, ${login}`, [PASSWORD, KEY]);
  assert.match(shown, /^user \[secret\], \[secret\]/);
  assert.deepEqual(search(shown), []);
});
