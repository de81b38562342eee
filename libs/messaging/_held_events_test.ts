import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { EventMessage } from "./_event_message.ts";
import { HeldEvents } from "./_held_events.ts";

function openEvent(key: string) {
  const reports: string[] = [];
  const message = { key, working: () => reports.push(key) } as unknown as EventMessage;
  return { message, reports };
}

test("HeldEvents reports each event until it ends or all are disposed of, three times in an ack wait", (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  using held = new HeldEvents();
  held.reportWithin(30_000);
  const [first, second] = [openEvent("first"), openEvent("second")];
  assert.ok(held.add(first.message));
  t.mock.timers.tick(9999);
  assert.ok(held.add(second.message));
  t.mock.timers.tick(1);
  held.end(first.message);
  t.mock.timers.tick(20_000);
  assert.deepEqual([first.reports.length, second.reports.length], [1, 3]);
  held[Symbol.dispose]();
  t.mock.timers.tick(20_000);
  assert.equal(second.reports.length, 3);
});

test("HeldEvents reports in time although the same ack wait is read again and again", (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  using held = new HeldEvents();
  const { message, reports } = openEvent("acc_1");
  held.add(message);
  for (let passedMs = 0; passedMs < 30_000; passedMs += 5000) {
    held.reportWithin(30_000);
    t.mock.timers.tick(5000);
  }
  assert.equal(reports.length, 3);
});

test("HeldEvents reports in time after the ack wait became shorter", (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  using held = new HeldEvents();
  const { message, reports } = openEvent("acc_1");
  held.add(message);
  held.reportWithin(30_000);
  held.reportWithin(3000);
  t.mock.timers.tick(30_000);
  assert.equal(reports.length, 30);
});

test("HeldEvents.add() leaves out a redelivery of an event that has not ended", () => {
  using held = new HeldEvents();
  const [delivery, redelivery] = [openEvent("acc_1"), openEvent("acc_1")];
  assert.ok(held.add(delivery.message));
  assert.equal(held.add(redelivery.message), false);
  held.end(delivery.message);
  assert.ok(held.add(redelivery.message));
});
