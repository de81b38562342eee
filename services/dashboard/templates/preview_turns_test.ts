import assert from "node:assert/strict";
import { test } from "node:test";
import { openLatestOnly } from "./latest_only.ts";
import { openPreviewTurns } from "./preview_turns.ts";

test("openPreviewTurns() shows eight previews of an account at a time, and does not hold up others", async () => {
  const inTurn = openPreviewTurns();
  const running: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => running.push(resolve));
  const many = Array.from({ length: 500 }, () => inTurn("acc_1", work));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(running.length, 8);
  assert.equal(await inTurn("acc_2", () => Promise.resolve("shown")), "shown");
  for (let ended = 0; ended < many.length; ended++) {
    running.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(running.length <= 8);
  }
  await Promise.all(many);
});

test("openPreviewTurns() refuses who waits too long", async () => {
  const inTurn = openPreviewTurns({ maxWaitMs: 5 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = Array.from({ length: 8 }, () => inTurn("acc_1", () => promise));
  await assert.rejects(
    inTurn("acc_1", () => Promise.resolve()),
    { code: "unavailable", message: /^Too many previews/ },
  );
  resolve();
  await Promise.all(first);
});

test("openPreviewTurns() takes a preview out of the queue when its wait is over", async () => {
  const inTurn = openPreviewTurns();
  const latestOnly = openLatestOnly(() => new Error("replaced"));
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = Array.from({ length: 8 }, () => inTurn("acc_1", () => promise));
  const begun: number[] = [];
  const typed = Array.from(
    { length: 20 },
    (_, key) =>
      latestOnly(
        "editor",
        (replaced) => inTurn("acc_1", () => Promise.resolve(begun.push(key)), replaced),
      ),
  );
  const outcomes = Promise.allSettled(typed);
  resolve();
  await Promise.all(first);
  assert.deepEqual((await outcomes).map(({ status }) => status), [
    ...Array.from({ length: 19 }, () => "rejected"),
    "fulfilled",
  ]);
  assert.deepEqual(begun, [19]);
});
