import assert from "node:assert/strict";
import { test } from "node:test";
import { openBulkShare } from "./_bulk_share.ts";

test("openBulkShare() begins with an eighth, and gives all within a second if nobody is there", () => {
  const share = openBulkShare();
  assert.equal(share.places(32, 0), 4);
  assert.equal(share.places(32, 500), 20);
  assert.equal(share.places(32, 1000), 32);
  assert.equal(share.places(32, 3000), 32);
  assert.equal(share.places(1, 3000), 1);
});

test("openBulkShare() grows slowly beside others", () => {
  const share = openBulkShare();
  share.places(32, 0);
  share.noteWait(1, 0);
  assert.ok(Math.abs(share.places(32, 900) - 32 * (1 / 8 + 0.09)) < 1e-9);
});

test("openBulkShare() halves once for waits that come together, down to a thirty-second", () => {
  const share = openBulkShare();
  share.noteWait(1, 0);
  share.places(32, 0);
  assert.equal(share.places(32, 2000), 32);
  for (const now of [2000, 2010, 2020]) share.noteWait(40, now);
  assert.equal(share.places(32, 2000), 16);
  for (let now = 3000; now <= 4000; now += 100) share.noteWait(40, now);
  assert.equal(share.places(32, 4000), 1);
  assert.equal(share.places(4, 4000), 1 / 8);
  assert.equal(share.places(32, 6000), 32);
});

test("openBulkShare() takes a steady wait for the difference of two clocks", () => {
  const share = openBulkShare();
  share.places(8, 0);
  share.places(8, 2000);
  for (let now = 2000; now < 3000; now += 50) share.noteWait(-500 + now % 7, now);
  assert.equal(share.places(8, 3000), 8);
  share.noteWait(-450, 3050);
  assert.equal(share.places(8, 3050), 4);
});

test("openBulkShare() begins small again after ten idle seconds", () => {
  const share = openBulkShare();
  share.places(32, 0);
  assert.equal(share.places(32, 5000), 32);
  assert.equal(share.places(32, 15_001), 4);
});

test("openBulkShare() tells others of a wait once, and halves when others tell of one", () => {
  let told = 0;
  const share = openBulkShare(() => told++);
  share.places(32, 0);
  share.noteWait(1, 0);
  for (const now of [2000, 2010, 2020]) share.noteWait(40, now);
  assert.equal(told, 1);
  const other = openBulkShare(() => told++);
  other.places(32, 0);
  assert.equal(other.places(32, 2000), 32);
  for (const now of [2000, 2010, 2020]) other.press(now);
  assert.equal(other.places(32, 2000), 16);
  assert.equal(told, 1);
});
