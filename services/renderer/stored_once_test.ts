import assert from "node:assert/strict";
import { test } from "node:test";
import { storedOnce } from "./stored_once.ts";

test("storedOnce() stores a text again after five seconds, or if it failed", async () => {
  let [at, fails] = [0, false];
  const puts: string[] = [];
  const store = storedOnce((key) => {
    puts.push(key);
    return fails ? Promise.reject(new Error("full")) : Promise.resolve();
  }, () => at);
  await Promise.all([store("a", "A"), store("a", "A"), store("b", "B")]);
  assert.deepEqual(puts, ["a", "b"]);
  at = 4_999;
  await store("a", "A");
  assert.equal(puts.length, 2);
  at = 5_000;
  fails = true;
  await assert.rejects(store("a", "A"), /full/);
  fails = false;
  await store("a", "A");
  assert.deepEqual(puts, ["a", "b", "a", "a"]);
});
