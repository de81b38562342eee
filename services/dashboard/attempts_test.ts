import assert from "node:assert/strict";
import { test } from "node:test";
import { openAttempts } from "./attempts.ts";
import { Problem } from "./problem.ts";

function openCounted(max?: number) {
  let now = 1000;
  const attempts = openAttempts({ clock: { now: () => now }, ...(max ? { max } : {}) });
  /** The wait in seconds that an attempt is refused with; 0 if it is not. */
  const begin = (...names: string[]) => {
    try {
      attempts.begin(Object.fromEntries(names.map((n) => [n, { free: 3, waitMs: 60_000 }])));
      return 0;
    } catch (error) {
      assert.ok(error instanceof Problem && error.code === "too_many_requests");
      return error.retryAfter;
    }
  };
  return { attempts, begin, pass: (seconds: number) => void (now += seconds * 1000) };
}

test("begin() has whoever failed too often wait, and twice as long each time, up to 15 minutes", () => {
  const { begin, pass } = openCounted();
  assert.deepEqual([begin("a"), begin("a"), begin("a"), begin("a")], [0, 0, 0, 60]);
  pass(59);
  assert.equal(begin("a"), 1);
  for (const wait of [120, 240, 480, 900, 900]) {
    pass(begin("a") ?? 0);
    assert.equal(begin("a"), 0);
    assert.equal(begin("a"), wait);
  }
  assert.equal(begin("b"), 0);
});

test("begin() refuses what is over under any of its names, and counts it under none", () => {
  const { begin, pass } = openCounted();
  for (let i = 0; i < 3; i++) begin("address", `person ${i}`);
  assert.equal(begin("address", "person 9"), 60);
  assert.equal(begin("person 9"), 0);
  pass(60);
  assert.equal(begin("address", "person 9"), 0);
});

test("begin() forgets failures after half an hour without another", () => {
  const { begin, pass } = openCounted();
  for (let i = 0; i < 3; i++) begin("a");
  pass(1801);
  assert.deepEqual([begin("a"), begin("a"), begin("a"), begin("a")], [0, 0, 0, 60]);
});

test("succeed() takes an attempt back, and forgets all that failed where that is asked for", () => {
  const { attempts, begin } = openCounted();
  const keys = { a: { free: 3, waitMs: 60_000 } };
  for (let i = 0; i < 50; i++) {
    assert.equal(begin("a"), 0);
    attempts.succeed(keys);
  }
  for (let i = 0; i < 2; i++) begin("a");
  begin("a");
  attempts.succeed(keys);
  assert.deepEqual([begin("a"), begin("a")], [0, 60]);
  attempts.succeed(keys, { forget: ["a"] });
  assert.deepEqual([begin("a"), begin("a"), begin("a"), begin("a")], [0, 0, 0, 60]);
});

test("the count keeps so many names and forgets those that tried longest ago", () => {
  const { begin } = openCounted(2);
  for (let i = 0; i < 3; i++) begin("a");
  begin("b");
  assert.ok(begin("a"));
  begin("c");
  assert.equal(begin("a"), 0);
});
