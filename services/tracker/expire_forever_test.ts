import assert from "node:assert/strict";
import { test } from "node:test";
import { expireForever } from "./expire_forever.ts";

test("expireForever() removes each kind, although another fails, and ends with its signal", async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  let emptied = 0;
  const ended = expireForever([
    { what: "keys", expire: () => Promise.reject(new Error("away")) },
    { what: "files", everyMs: 1, expire: () => Promise.resolve(emptied++ === 0 ? 3 : 0) },
  ], {
    logger: {
      info: (line, { removed } = {}) => void lines.push(`${line}: ${removed}`),
      warn: (line) => void lines.push(line),
    },
    signal: stop.signal,
  });
  while (emptied < 3) await new Promise(setImmediate);
  stop.abort();
  await ended;
  assert.deepEqual(lines.toSorted(), [
    "Cannot remove expired keys, retrying",
    "Removed expired files: 3",
  ]);
});
