import assert from "node:assert/strict";
import { test } from "node:test";
import { type Delivering, deliveryAfter } from "./delivery_after.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const DAY_MS = 24 * 3_600_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

function after(
  changes: Partial<Delivering["attempt"]> = {},
  { before, isTrial = false }: { before?: Delivering["before"]; isTrial?: boolean } = {},
) {
  return deliveryAfter({
    ...{ webhook: { _id: "whk_1", accountId: "acc_1" }, before },
    event: { _id: "evt_1", type: "message.sent" },
    attempt: { at: NOW, status: 200, durationMs: 3, ...changes },
  }, { isTrial, random: 0.5 });
}

const FAILED = { status: 500, error: "The endpoint answered 500" };

test("deliveryAfter() keeps a delivery for 7 days, and a failed one for 30", () => {
  const { state, nextAt, expiresAt } = after();
  assert.deepEqual([state, nextAt, expiresAt], ["delivered", null, later(7 * DAY_MS)]);
  const failed = after(FAILED);
  assert.deepEqual([failed.state, failed.nextAt], ["retrying", later(5000)]);
  assert.deepEqual(failed.expiresAt, later(30 * DAY_MS));
});

test("deliveryAfter() gives an event up after ten failures, and keeps the last twelve attempts", () => {
  let delivery = after(FAILED);
  for (let tries = 2; tries <= 10; tries++) {
    assert.equal(delivery.state, "retrying", `${tries}`);
    delivery = after(FAILED, { before: delivery });
  }
  assert.deepEqual([delivery.state, delivery.tries, delivery.nextAt], ["failed", 10, null]);
  for (let more = 0; more < 5; more++) delivery = after(FAILED, { before: delivery });
  assert.equal(delivery.attempts.length, 12);
});

test("deliveryAfter() waits as long as the endpoint requests", () => {
  assert.deepEqual(after({ ...FAILED, retryAfter: "60" }).nextAt, later(60_000));
  assert.ok(!("retryAfter" in (after({ ...FAILED, retryAfter: "60" }).attempts[0] ?? {})));
});

test("deliveryAfter() does not count a failure while the endpoint is down", () => {
  const before = after(FAILED);
  const { tries, nextAt } = after(FAILED, { before, isTrial: true });
  assert.deepEqual([tries, nextAt], [1, before.nextAt]);
});
