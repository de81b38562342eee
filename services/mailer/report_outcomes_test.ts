import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf, newSendId } from "@posthaste/contracts";
import { type MessageStatusEvent, type Outgoing, statusEventsIn } from "@posthaste/messaging";
import { stopTime } from "@posthaste/kit";
import { openReporter } from "./report_outcomes.ts";

const sendId = newSendId("acc_1");

function sent(index: number): MessageStatusEvent {
  const messageId = messageIdOf(sendId, index);
  const at = "2026-03-01T10:00:00.000Z";
  const data = { messageId, sendId, accountId: "acc_1", index, attempt: 1, at, reply: {} };
  return { type: "status.message.sent", data };
}

test("openReporter() reports an outcome immediately, and those of the next 50 ms as one event", async (context) => {
  const { move } = stopTime(context);
  const published: Outgoing[] = [];
  const report = openReporter({
    publish: (event) => Promise.resolve(void published.push(event)),
    logger: { warn: () => assert.fail("nothing fails") },
  });
  const first = report(sent(0));
  await move(1);
  await first;
  assert.deepEqual(published.map(statusEventsIn), [[sent(0)]]);
  const all = [report(sent(1)), report(sent(2))];
  await move(49);
  assert.equal(published.length, 1);
  await move(1);
  await Promise.all(all);
  assert.deepEqual(published.map(statusEventsIn), [[sent(0)], [sent(1), sent(2)]]);
  await move(50);
  const later = report(sent(3));
  await move(1);
  await later;
  assert.deepEqual(published.map(statusEventsIn).at(-1), [sent(3)]);
});

test("openReporter() warns of reports that the broker refuses, and continues", async (context) => {
  const { move } = stopTime(context);
  const warned: string[] = [];
  const report = openReporter({
    publish: () => Promise.reject(new Error("the broker is away")),
    logger: { warn: (line) => void warned.push(line) },
  });
  const one = report(sent(0));
  await move(1);
  await one;
  assert.deepEqual(warned, ["Cannot publish outcomes, but the ledger has them"]);
});
