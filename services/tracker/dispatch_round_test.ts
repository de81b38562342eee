import type { Send } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, HOUR, openTestScheduler } from "./_test_scheduler.ts";

const RECIPIENTS = Array.from({ length: 300 }, (_, n) => ({
  email: `anna${n}@example.com`,
  variables: {},
}));

function requestTo(to: typeof RECIPIENTS): Partial<Send> {
  return { messageCount: to.length, request: { to } as Send["request"] };
}

test("dispatchRound() lets no small mail wait behind the retries of a large send", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  // These have been due for longer.
  const nextAt = ago(HOUR);
  await scheduler.defer({ acceptedAt: ago(2 * HOUR), nextAt, ...requestTo(RECIPIENTS) });
  const single = requestTo(RECIPIENTS.slice(0, 1));
  const again = await scheduler.defer({ priority: "transactional", ...single });
  const waiting = await scheduler.wait({ priority: "transactional", ...single });
  await scheduler.due();
  const dispatched = scheduler.take().map(({ sendId, priority }) => ({ sendId, priority }));
  assert.deepEqual(dispatched.slice(0, 3), [
    { sendId: again._id, priority: "transactional" },
    { sendId: waiting._id, priority: "transactional" },
    { sendId: dispatched[2]?.sendId, priority: "bulk" },
  ]);
  assert.equal(dispatched.length, 10);
});

test("dispatchRound() dispatches retries of large sends before large sends that wait", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.wait({ acceptedAt: ago(2 * HOUR), ...requestTo(RECIPIENTS) });
  const again = await scheduler.defer(requestTo(RECIPIENTS.slice(0, 12)));
  await scheduler.due();
  assert.deepEqual(new Set(scheduler.take().map(({ sendId }) => sendId)), new Set([again._id]));
});

test("dispatchRound() tells whether mail waits for its first attempt", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.defer(requestTo(RECIPIENTS.slice(0, 1)));
  assert.equal(await scheduler.due(), false);
  await scheduler.wait(requestTo(RECIPIENTS));
  assert.deepEqual([await scheduler.schedule(), await scheduler.due()], [true, true]);
});
