import assert from "node:assert/strict";
import { test } from "node:test";
import { takeRandomBytes } from "./random_bytes.ts";

test("takeRandomBytes() never returns the same bytes again, and keeps what it returned", () => {
  const taken = Array.from({ length: 2000 }, (_, at) => takeRandomBytes(at % 2 === 0 ? 8 : 12));
  const texts = taken.map((bytes) => bytes.toString("hex"));
  assert.equal(new Set(texts).size, taken.length);
  assert.deepEqual(taken.map(({ length }) => length).slice(0, 3), [8, 12, 8]);
  // Eight bytes of a nonce are nobody's name.
  assert.equal(new Set(texts.map((text) => text.slice(0, 16))).size, taken.length);
  takeRandomBytes(4096);
  assert.deepEqual(taken.map((bytes) => bytes.toString("hex")), texts);
});
