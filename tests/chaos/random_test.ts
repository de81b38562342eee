import assert from "node:assert/strict";
import { test } from "node:test";
import { openRandom } from "./random.ts";

test("openRandom() gives the same choices for the same seed, and others for another", () => {
  const draw = (seed: string) => {
    const random = openRandom(seed);
    return Array.from({ length: 20 }, () => random.integer(1, 1000));
  };
  assert.deepEqual(draw("7"), draw("7"));
  assert.notDeepEqual(draw("7"), draw("8"));
});

test("openRandom() draws evenly, and forks do not disturb it", () => {
  const random = openRandom("even");
  const counts = new Map<number, number>();
  for (let i = 0; i < 6000; i++) {
    const drawn = random.integer(1, 6);
    counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
  }
  assert.deepEqual([...counts.keys()].sort(), [1, 2, 3, 4, 5, 6]);
  for (const count of counts.values()) assert.ok(count > 850 && count < 1150, String(count));
  const [left, right] = [openRandom("same"), openRandom("same")];
  left.fork("other").next();
  assert.equal(left.next(), right.next());
});
