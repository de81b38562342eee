import assert from "node:assert/strict";
import { test } from "node:test";
import { generateAccessToken, hashAccessToken, isAccessToken, prefixOf } from "./access_token.ts";

test("generateAccessToken() makes tokens of 52 characters that are never the same", () => {
  const tokens = Array.from({ length: 500 }, generateAccessToken);
  assert.equal(new Set(tokens).size, 500);
  for (const token of tokens) assert.match(token, /^ph_[0-9A-Za-z]{49}$/);
  assert.ok(tokens.every(isAccessToken));
});

test("isAccessToken() refuses a token in which any one character was changed", () => {
  const token = generateAccessToken();
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === "a" ? "b" : "a";
    assert.equal(isAccessToken(token.slice(0, at) + other + token.slice(at + 1)), false);
  }
});

test("isAccessToken() refuses tokens that are cut, longer or empty", () => {
  const token = generateAccessToken();
  for (const text of ["", "ph_", token.slice(1), `${token}a`, `${token}\n`, ` ${token}`]) {
    assert.equal(isAccessToken(text), false, text);
  }
});

test("isAccessToken() accepts a token whose checksum was computed elsewhere", () => {
  // CRC32 of `ph_` and 43 zeros, computed with the zlib of another language.
  assert.equal(isAccessToken(`ph_${"0".repeat(43)}1W43vm`), true);
});

test("hashAccessToken() is SHA-256 in hex, and prefixOf() returns nine characters", () => {
  assert.equal(
    hashAccessToken("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  assert.equal(prefixOf("ph_0123456789"), "ph_012345");
});
