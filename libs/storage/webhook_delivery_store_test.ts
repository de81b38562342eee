import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { WebhookDelivery } from "@posthaste/contracts";
import type { DeliveryPlace } from "./webhook_delivery_store.ts";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

const START = Date.parse("2026-01-02T03:00:00Z");

function failed(webhookId: string, minute: number): WebhookDelivery {
  const eventId = `evt_${minute}`;
  const at = new Date(START + minute * 60_000);
  return {
    ...{ _id: `${webhookId}/${eventId}`, accountId: "acc_1", webhookId, eventId },
    ...{ type: "message.sent", state: "failed", tries: 10, nextAt: null, attempts: [] },
    ...{ at, expiresAt: new Date(START + 30 * 24 * 3_600_000) },
  };
}

test("replayDeliveries() repeats the oldest up to its limit, and returns where to continue", async () => {
  const { store } = opened;
  await store.webhooks.saveDeliveries([4, 0, 2, 1, 3].map((minute) => failed("whk_1", minute)));
  await store.webhooks.saveDeliveries([failed("whk_2", 0)]);
  const until = new Date(START + 3_600_000);
  const replay = (from: Date | DeliveryPlace) =>
    store.webhooks.replayDeliveries("acc_1", "whk_1", {
      ...{ from, until, states: ["failed"], limit: 2 },
    }, new Date());
  const pages = [];
  for (let from: Date | DeliveryPlace | null = new Date(START); from !== null;) {
    const { queued, next } = await replay(from);
    pages.push([queued, next?.at.toISOString() ?? null]);
    from = next;
  }
  assert.deepEqual(pages, [
    [2, "2026-01-02T03:02:00.000Z"],
    [2, "2026-01-02T03:04:00.000Z"],
    [1, null],
  ]);
  const all = await store.webhooks.listDeliveries("acc_1", "whk_1", { limit: 10 });
  assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(["retrying"]));
  const other = await store.webhooks.findDelivery("acc_1", "whk_2", "evt_0");
  assert.equal(other?.state, "failed");
});

test("replayDeliveries() goes on among deliveries of one millisecond, and repeats each once", async () => {
  const { store } = opened;
  const at = new Date(START);
  const all = [0, 1, 2, 3, 4].map((n) => ({ ...failed("whk_burst", n), at }));
  await store.webhooks.saveDeliveries([...all, failed("whk_burst", 5)]);
  const states = ["failed", "retrying"] as const;
  const until = new Date(START + 3_600_000);
  const counts = [];
  for (let from: Date | DeliveryPlace | null = at; from !== null && counts.length < 9;) {
    const which = { from, until, states, limit: 2 };
    const done = await store.webhooks.replayDeliveries("acc_1", "whk_burst", which, new Date());
    counts.push(done.queued);
    from = done.next;
  }
  assert.deepEqual(counts, [2, 2, 2]);
  const listed = await store.webhooks.listDeliveries("acc_1", "whk_burst", { limit: 10 });
  assert.deepEqual(new Set(listed.map(({ state }) => state)), new Set(["retrying"]));
});

test("saveDeliveries() keeps what was delivered when a late failure of another process comes", async () => {
  const { store } = opened;
  const late = failed("whk_late", 1);
  const others = [failed("whk_late", 0), failed("whk_late", 2)];
  await store.webhooks.saveDeliveries([{ ...late, state: "delivered" }]);
  await store.webhooks.saveDeliveries([others[0] ?? late, late, others[1] ?? late]);
  const states = async () =>
    (await store.webhooks.listDeliveries("acc_1", "whk_late", { limit: 10 }))
      .map(({ state }) => state);
  assert.deepEqual(await states(), ["failed", "delivered", "failed"]);
  const which = { eventId: late.eventId };
  await store.webhooks.replayDeliveries("acc_1", "whk_late", which, new Date());
  await store.webhooks.saveDeliveries([late]);
  assert.deepEqual(await states(), ["failed", "failed", "failed"]);
});
