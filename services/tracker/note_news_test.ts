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

test("noteNews() gives the turn of a mail back that no mailer tried", () => {
  const reason = "it was so";
  const outcomes: [StatusEvent["type"], object, turns: number][] = [
    ["status.message.sent", { reply: { code: 250 } }, 0],
    ["status.message.deferred", { reason }, 0],
    ["status.message.unknown", { reason }, 0],
    ["status.message.failed", { reason, stage: "mailer" }, 0],
    ["status.message.failed", { reason, stage: "pipeline" }, 1],
    ["status.message.suppressed", { reason }, 1],
    ["status.message.waiting", { reason, nextAt: "2026-03-01T12:00:02Z" }, 1],
    ["status.message.dropped", {}, 1],
    ["status.message.returned", { stage: "pdf" }, 1],
    ["status.message.returned", {}, 0],
  ];
  for (const [type, detail, turns] of outcomes) {
    const flow = openFlow({ patienceMs: 60_000, clock: { now: () => 7000 } });
    const turnsNow = () => Math.floor(flow.turnsOf("acc_1/4", 1));
    assert.equal(turnsNow(), 1);
    flow.begin("acc_1/4", { messageId: "msg_1", attempt: 0 });
    assert.equal(turnsNow(), 0);
    const isTried = turns === 0 && type !== "status.message.returned";
    const data = {
      ...{ messageId: "msg_1", sendId: "snd_1", accountId: "acc_1", index: 0, integrationId: 4 },
      ...{ at: "2026-03-01T12:00:00Z", acceptedAt: "2026-03-01T12:00:00Z", ...detail },
      // An outcome of an attempt has its own number, and all other news that of the attempts before it.
      attempt: isTried || type === "status.message.suppressed" ? 1 : 0,
    };
    noteNews(flow, [{ type, data } as StatusEvent]);
    assert.equal(turnsNow(), turns, `${type} ${JSON.stringify(detail)}`);
    assert.equal(flow.inFlight("acc_1/4"), 0, type);
  }
});
