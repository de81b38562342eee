import type { StatusEvent } from "@posthaste/messaging";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFlow } from "./flow.ts";
import { noteNews } from "./note_news.ts";

test("noteNews() wakes the scheduler for a send that waits, and for no other", async () => {
  const flow = openFlow({ patienceMs: 60_000 });
  const accepted = (waits?: true): StatusEvent => ({
    type: "status.send.accepted",
    data: { v: 2, sendId: "snd_1", accountId: "acc_1", at: "2026-03-01T12:00:00Z", waits },
  });
  let woken = 0;
  const news = flow.nextNews(60_000).then(() => woken++);
  noteNews(flow, [accepted()]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(woken, 0);
  noteNews(flow, [accepted(true)]);
  await news;
});

test("noteNews() frees the place of an attempt that a mailer drops, and of one that waits for images", () => {
  const flow = openFlow({ patienceMs: 60_000 });
  const attempts = [0, 1, 2].map((index) => ({ messageId: `msg_${index}`, attempt: 0, index }));
  for (const attempt of attempts) flow.begin("acc_1/4", attempt);
  const dataOf = (index: number) => ({
    ...{ messageId: `msg_${index}`, sendId: "snd_1", accountId: "acc_1", index, attempt: 0 },
    at: "2026-03-01T12:00:00Z",
  });
  noteNews(flow, [
    { type: "status.message.dropped", data: { ...dataOf(0), integrationId: 4 } },
    {
      type: "status.message.waiting",
      data: { ...dataOf(2), reason: "Images are loading", nextAt: "2026-03-01T12:00:02Z" },
    },
  ]);
  assert.equal(flow.inFlight("acc_1/4"), 1);
  assert.deepEqual(attempts.map((attempt) => flow.knows(attempt)), [false, true, true]);
});

test("noteNews() records when a mailer last began to try a mail, which used its rate", () => {
  const reason = "it was so";
  const reply = { code: 250 };
  const at = "2026-03-01T12:00:00Z";
  const outcomes: [StatusEvent["type"], object, triedMsAgo: number][] = [
    ["status.message.sent", { reply }, 0],
    ["status.message.sent", { reply, durationMs: 3000 }, 3000],
    ["status.message.deferred", { reason, durationMs: 40 }, 40],
    ["status.message.unknown", { reason }, 0],
    ["status.message.failed", { reason, stage: "mailer", reply: { code: 550 }, durationMs: 9 }, 9],
    ["status.message.failed", { reason, stage: "mailer" }, 0],
    ["status.message.failed", { reason, stage: "pipeline" }, Infinity],
    ["status.message.suppressed", { reason, durationMs: 1 }, Infinity],
  ];
  for (const [type, detail, triedMsAgo] of outcomes) {
    const clock = { now: () => 7000 };
    const flow = openFlow({ patienceMs: 60_000, clock });
    flow.begin("acc_1/4", { messageId: "msg_1", attempt: 0 });
    const data = {
      ...{ messageId: "msg_1", sendId: "snd_1", accountId: "acc_1", index: 0, at, ...detail },
      // A failure outside of an attempt has the number of the attempts before it.
      attempt: "stage" in detail && detail.stage === "pipeline" ? 0 : 1,
    };
    noteNews(flow, [{ type, data } as StatusEvent]);
    assert.equal(flow.triedMsAgo("acc_1/4"), triedMsAgo, `${type} ${JSON.stringify(detail)}`);
    assert.equal(flow.inFlight("acc_1/4"), 0, type);
  }
});
