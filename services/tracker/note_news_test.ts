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
