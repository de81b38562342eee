import assert from "node:assert/strict";
import { test } from "node:test";
import { takeRandomBytes } from "./random_bytes.ts";

test("takeRandomBytes() returns no byte twice, and keeps what it returned", () => {
  const taken = Array.from({ length: 2000 }, (_, at) => takeRandomBytes(at % 2 === 0 ? 8 : 12));
  const texts = taken.map((bytes) => bytes.toString("hex"));
  assert.deepEqual(taken.slice(0, 3).map(({ length }) => length), [8, 12, 8]);
  // If one began within another, some bytes of both would be the same.
  const places = taken.flatMap((bytes) =>
    Array.from({ length: bytes.length - 5 }, (_, at) => bytes.toString("hex", at, at + 6))
  );
  assert.equal(new Set(places).size, places.length);
  takeRandomBytes(4096);
  assert.deepEqual(taken.map((bytes) => bytes.toString("hex")), texts);
});

test("takeRandomBytes() refuses more than a block, and what is no size", () => {
  for (const size of [4097, -8, NaN]) assert.throws(() => takeRandomBytes(size), RangeError);
});
