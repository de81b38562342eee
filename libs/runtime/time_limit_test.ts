import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTimeLimit } from "./time_limit.ts";

test("openTimeLimit() calls back once it is over, and not once it is disposed of", async () => {
  let late = 0;
  const limits = [openTimeLimit(0, () => late++), openTimeLimit(-1, () => late++)];
  await delay(20);
  assert.equal(late, 2);
  limits.push(openTimeLimit(1, () => late++));
  for (const limit of limits) limit[Symbol.dispose]();
  await delay(20);
  assert.equal(late, 2);
});

test("openTimeLimit() does not call back when it is disposed of after its timer, before input", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let late = 0;
  const limit = openTimeLimit(10, () => late++);
  context.mock.timers.tick(10);
  limit[Symbol.dispose]();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  assert.equal(late, 0);
});
