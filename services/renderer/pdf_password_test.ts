import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_PASSWORD_BYTES, PasswordError, passwordIn } from "./pdf_password.ts";

test("passwordIn() returns a text or a number, also of a field", () => {
  assert.equal(passwordIn({ password: " Zoë 1 " }, "password"), " Zoë 1 ");
  assert.equal(passwordIn({ customer: { born: 19700131 } }, "customer.born"), "19700131");
});

test("passwordIn() returns what people can type: SASLprep", () => {
  assert.equal(passwordIn({ p: "I\u00adX \u00a0Ⅸ ﬁ" }, "p"), "IX  IX fi");
  assert.equal(passwordIn({ p: "e\u0301" }, "p"), "\u00e9");
});

const FAULTS: [string, unknown, RegExp][] = [
  ["a missing value", undefined, /is empty$/],
  ["null", null, /is empty$/],
  ["an empty text", "", /is empty$/],
  ["only what is mapped to nothing", "\u200b", /is empty$/],
  ["an object", { secret: 1 }, /neither a text nor a number$/],
  ["a list", ["secret"], /neither a text nor a number$/],
  ["true", true, /neither a text nor a number$/],
  ["a control character", "secret\n", /cannot be typed$/],
  ["half of a character", "secret\ud800", /cannot be typed$/],
  ["a mark of direction", "secret\u202e", /cannot be typed$/],
  ["too long a text", "secret".repeat(30), /has more than 127 bytes$/],
];

for (const [what, value, pattern] of FAULTS) {
  test(`passwordIn() refuses ${what}, and does not quote it`, () => {
    const values = value === undefined ? {} : { p: value };
    assert.throws(
      () => passwordIn(values, "p"),
      (error) =>
        error instanceof PasswordError && pattern.test(error.message) &&
        !/secret/.test(error.message),
    );
  });
}

test("passwordIn() reads own fields alone", () => {
  for (const path of ["constructor", "__proto__.x", "p.length", "p.constructor.name"]) {
    assert.throws(() => passwordIn({ p: "secret" }, path), PasswordError, path);
  }
});

test("passwordIn() accepts the longest password", () => {
  const longest = "ä".repeat(63) + "x";
  assert.equal(Buffer.byteLength(longest), MAX_PASSWORD_BYTES);
  assert.equal(passwordIn({ p: longest }, "p"), longest);
});
