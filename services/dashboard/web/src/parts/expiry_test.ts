import assert from "node:assert/strict";
import { test } from "node:test";
import { EXPIRIES, expiryOf } from "./expiry.ts";

const NOW = new Date("2026-01-31T10:00:00Z");

test("expiryOf() returns a time for every choice but never", () => {
  assert.equal(expiryOf("never", "", NOW), null);
  assert.equal(expiryOf("30", "", NOW), "2026-03-02T10:00:00.000Z");
  for (const { value } of EXPIRIES.filter((each) => each.value !== "never")) {
    const at = new Date(expiryOf(value, "2026-02-01", NOW) ?? "");
    assert.ok(at > NOW, value);
  }
});

test("expiryOf() includes a date to its last second, in the person's time zone", () => {
  const at = new Date(expiryOf("date", "2026-02-01", NOW) ?? "");
  assert.deepEqual([at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()], [
    ...[1, 23, 59, 59],
  ]);
});
