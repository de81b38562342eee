import assert from "node:assert/strict";
import { test } from "node:test";
import { openBulkShare } from "./_bulk_share.ts";

test("openBulkShare() begins with a thirty-second, and gives all within a second if nobody is there", () => {
  const share = openBulkShare();
  assert.equal(share.places(32, 0), 1);
  assert.equal(share.places(32, 500), 17);
  assert.equal(share.places(32, 1000), 32);
  assert.equal(share.places(32, 3000), 32);
  assert.equal(share.places(1, 3000), 1);
});

test("openBulkShare() doubles in twenty seconds beside others", () => {
  const share = openBulkShare();
  share.places(32, 0);
  share.noteWait(1, 0);
  share.noteWait(1, 3000);
  share.places(32, 5000);
  share.noteWait(1, 7000);
  share.places(32, 10_000);
  share.noteWait(1, 11_000);
  share.places(32, 15_000);
  share.noteWait(1, 16_000);
  assert.ok(Math.abs(share.places(32, 20_000) - 2) < 1e-9);
});

test("openBulkShare() halves once for waits that come together, down to a sixty-fourth", () => {
  const share = openBulkShare();
  share.noteWait(1, 0);
  share.places(32, 0);
  assert.equal(share.places(32, 6000), 32);
  for (const now of [6000, 6010, 6020]) share.noteWait(40, now);
  assert.equal(share.places(32, 6000), 16);
  for (let now = 7000; now <= 8000; now += 100) share.noteWait(40, now);
  assert.equal(share.places(32, 8000), 1 / 2);
  assert.equal(share.places(4, 8000), 1 / 16);
  assert.ok(share.places(32, 12_999) < 1);
  assert.equal(share.places(32, 15_000), 32);
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
  assert.equal(share.places(32, 15_001), 1);
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

test("openBulkShare() lets one wait in a hundred be long", () => {
  const share = openBulkShare();
  share.places(32, 0);
  assert.equal(share.places(32, 2000), 32);
  for (let now = 2000; now < 4020; now += 20) share.noteWait(1, now);
  share.noteWait(40, 4020);
  assert.equal(share.places(32, 4020), 32);
  share.noteWait(40, 4200);
  assert.equal(share.places(32, 4200), 16);
});
