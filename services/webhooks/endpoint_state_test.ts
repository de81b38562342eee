import { UNKNOWN_HEALTH, type WebhookHealth } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { afterFailure, afterSuccess, givenUp, isDown, placesOf } from "./endpoint_state.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const later = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE = 60_000;

function failed(health: WebhookHealth, changes = {}): WebhookHealth {
  return afterFailure(health, { eventId: "evt_1", at: NOW, status: 500, error: "x", ...changes });
}

function failedTimes(count: number): WebhookHealth {
  return Array.from({ length: count }, (_, index) => `evt_${index}`)
    .reduce((health, eventId) => failed(health, { eventId }), UNKNOWN_HEALTH);
}

test("afterFailure() takes an endpoint down after five different events in a row", () => {
  const four = failedTimes(4);
  assert.deepEqual([isDown(four), placesOf(four, NOW)], [false, 4]);
  // The last one once more.
  assert.ok(!isDown(failed(four, { eventId: "evt_3" })));
  const down = failedTimes(5);
  assert.ok(isDown(down));
  assert.deepEqual([placesOf(down, NOW), placesOf(down, later(15_000))], [0, 1]);
});

test("afterFailure() tries an endpoint that is down less often, up to half an hour apart", () => {
  const waits = [5, 6, 7, 30].map((count) => {
    const { retryAt } = failedTimes(count);
    return retryAt && (retryAt.getTime() - NOW.getTime()) / MINUTE;
  });
  assert.deepEqual(waits, [0.25, 0.5, 1, 30]);
});

test("afterFailure() allows one request at a time for a minute if the endpoint is overloaded", () => {
  for (const status of [429, 502, 503, 504]) {
    const slow = afterSuccess(failed(UNKNOWN_HEALTH, { status }), NOW);
    assert.deepEqual([placesOf(slow, NOW), placesOf(slow, later(MINUTE))], [1, 4], `${status}`);
  }
});

test("afterSuccess() forgets failures", () => {
  const { failures, retryAt, failingSince, lastSuccessAt } = afterSuccess(failedTimes(9), NOW);
  assert.deepEqual({ failures, retryAt, failingSince, lastSuccessAt }, {
    ...{ failures: 0, retryAt: null, failingSince: null, lastSuccessAt: NOW },
  });
});

test("givenUp() gives up an endpoint that answers 410, or that fails for five days", () => {
  assert.equal(givenUp(failed(UNKNOWN_HEALTH, { status: 410 }), NOW)?.by, "gone");
  const failing = failedTimes(9);
  const days = (count: number) => later(count * 24 * 60 * MINUTE);
  assert.equal(givenUp(failing, days(4.9)), undefined);
  assert.equal(givenUp(failing, days(5))?.by, "failing");
  assert.equal(givenUp(UNKNOWN_HEALTH, days(9)), undefined);
});
