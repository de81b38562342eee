import assert from "node:assert/strict";
import { test } from "node:test";
import { restartable } from "./_restartable.ts";
import type { Exit, Supervised } from "./_supervised.ts";

/** Opens a process that ends on request. */
function openProcess(): Supervised {
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  const end = () => resolve({ code: 0, signal: null });
  return {
    ...{ pid: 1, exited, exit: () => undefined, log: () => Promise.resolve("") },
    signal: end,
    stop: () => Promise.resolve(end()),
  };
}

test("restart() does not retry a failure that is not about its port", async () => {
  let starts = 0;
  const server = restartable(openProcess(), {
    ...{ url: "nats://127.0.0.1:1", port: 1 },
    start: () => {
      starts++;
      return Promise.reject(new Error("the disk is full"));
    },
  });
  await assert.rejects(server.restart(), /the disk is full/);
  assert.equal(starts, 1);
});
