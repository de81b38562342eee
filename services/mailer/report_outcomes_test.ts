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

test("openReporter() reports outcomes within some milliseconds as one event", async (context) => {
  const { move } = stopTime(context);
  const published: Outgoing[] = [];
  const report = openReporter({
    publish: (event) => Promise.resolve(void published.push(event)),
    logger: { warn: () => assert.fail("nothing fails") },
  });
  const all = [report(sent(0)), report(sent(1))];
  await move(24);
  assert.deepEqual(published, []);
  await move(1);
  await Promise.all(all);
  assert.deepEqual(published.map(statusEventsIn), [[sent(0), sent(1)]]);
  const later = report(sent(2));
  await move(25);
  await later;
  assert.deepEqual(published.map(statusEventsIn), [[sent(0), sent(1)], [sent(2)]]);
});

test("openReporter() warns of reports that the broker refuses, and continues", async (context) => {
  const { move } = stopTime(context);
  const warned: string[] = [];
  const report = openReporter({
    publish: () => Promise.reject(new Error("the broker is away")),
    logger: { warn: (line) => void warned.push(line) },
  });
  const one = report(sent(0));
  await move(25);
  await one;
  assert.deepEqual(warned, ["Cannot publish outcomes, but the ledger has them"]);
});
