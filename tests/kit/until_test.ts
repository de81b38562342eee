import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./until.ts";

test("until() returns the value of the condition once it holds", async () => {
  let calls = 0;
  const value = await until(() => ++calls === 3 ? "third" : undefined, { everyMs: 1 });
  assert.equal(value, "third");
  assert.equal(calls, 3);
});

test("until() treats a condition that throws as not yet true", async () => {
  let calls = 0;
  await until(() => {
    if (++calls < 3) throw new Error("not yet");
    return true;
  }, { everyMs: 1 });
  assert.equal(calls, 3);
});

test("until() reports the condition and its last error", async () => {
  const refused = new Error("refused");
  await assert.rejects(
    until(() => Promise.reject(refused), { timeoutMs: 10, everyMs: 1, message: "the mail" }),
    { message: "Cannot wait longer for the mail: 10 ms have passed", cause: refused },
  );
});
