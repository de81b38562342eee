import assert from "node:assert/strict";
import { test } from "node:test";
import { repeat } from "./repeat.ts";

test("repeat() goes on after a failure, logs it, and ends with its signal", async () => {
  const stop = new AbortController();
  const lines: unknown[] = [];
  let times = 0;
  const ended = repeat(() => {
    times += 1;
    return times === 1 ? Promise.reject(new Error("away")) : Promise.resolve();
  }, {
    everyMs: 20,
    failure: "Cannot look",
    logger: { warn: (line) => void lines.push(line) },
    signal: stop.signal,
  });
  while (times < 3) await new Promise(setImmediate);
  stop.abort();
  await ended;
  assert.equal(times, 3);
  assert.deepEqual(lines, ["Cannot look"]);
});
