import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./until.ts";

test("until() returns what the condition gave once it holds", async () => {
  let calls = 0;
  const value = await until(() => ++calls === 3 ? "third" : undefined, { everyMs: 1 });
  assert.equal(value, "third");
  assert.equal(calls, 3);
});

test("until() takes a condition that throws for one that does not hold yet", async () => {
  let calls = 0;
  await until(() => {
    if (++calls < 3) throw new Error("not yet");
    return true;
  }, { everyMs: 1 });
  assert.equal(calls, 3);
});

test("until() says what it waited for and what was thrown last", async () => {
  const refused = new Error("refused");
  await assert.rejects(
    until(() => Promise.reject(refused), { timeoutMs: 10, everyMs: 1, message: "the mail" }),
    { message: "Cannot wait longer for the mail: 10 ms have passed", cause: refused },
  );
});
