import { messageIdOf } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { rendered, requested, resumed } from "./_test_bus.ts";
import { readEvent, type Refusal } from "./_read_event.ts";

const SUBJECT = "send.requested.transactional";
const { sendId } = requested("acc_1").data;

function refusalOf(body: unknown, subject = SUBJECT): Refusal {
  const json = <T>() => JSON.parse(typeof body === "string" ? body : JSON.stringify(body)) as T;
  const event = readEvent({ subject, json });
  assert.ok(!event.ok);
  return event.refusal;
}

/** Index, attempt and reason of each failure. */
function told(refusal: Refusal): unknown[] {
  return refusal.failures.map((failure) => {
    assert.ok(failure.type === "fact.message.failed");
    const { data } = failure;
    assert.equal(data.messageId, messageIdOf(sendId, data.index));
    assert.deepEqual([data.sendId, data.accountId, data.stage], [sendId, "acc_1", "pipeline"]);
    return [data.index, data.attempt, data.reason];
  });
}

test("readEvent() gives an event that matches its schema", () => {
  const { data } = requested("acc_1");
  const json = <T>() => structuredClone(data) as T;
  assert.deepEqual(readEvent({ subject: SUBJECT, json }), {
    ok: true,
    delivery: { type: "send.requested", data },
  });
});

test("readEvent() tells the failure of every message that a broken event names", () => {
  const reason = 'An event on its way could not be read: "lane" does not match its schema';
  const broken = { lane: "express" };
  const recipients = [3, 4].map((index) => ({ index, attempt: 0, email: "ann@example.com" }));
  assert.deepEqual(told(refusalOf({ ...requested("acc_1").data, ...broken, recipients })), [
    [3, 0, reason],
    [4, 0, reason],
  ]);
  assert.deepEqual(
    told(refusalOf({ ...resumed(2, { index: 5 }).data, ...broken }, "send.resumed.bulk")),
    [[5, 2, reason]],
  );
  assert.deepEqual(
    told(refusalOf({ ...rendered("acc_1").data, ...broken }, "message.rendered.mail.bulk")),
    [[0, 0, reason]],
  );
});

test("readEvent() says that an event is newer than itself", () => {
  const refusal = refusalOf({ ...rendered("acc_1").data, v: 2 }, "message.rendered.mail.bulk");
  assert.equal(refusal.isNewer, true);
  assert.equal(refusal.reason, "its version 2 is newer than 1");
  assert.equal(refusal.failures.length, 1);
  assert.equal(refusalOf({ ...rendered("acc_1").data, v: 0 }).isNewer, false);
});

test("readEvent() tells no failure where it cannot know of which message", () => {
  const known = { v: 1, sendId, accountId: "acc_1" };
  const unknown: unknown[] = [
    "no JSON",
    "null",
    "[]",
    "7",
    {},
    known,
    { ...known, index: -1 },
    { ...known, index: 32 ** 4 },
    { ...known, index: "1" },
    { ...known, recipients: [null, {}, 7] },
    { ...known, sendId: "snd_1", index: 0 },
    { ...known, sendId: 7, index: 0 },
    { ...known, accountId: undefined, index: 0 },
  ];
  for (const body of unknown) {
    assert.deepEqual(refusalOf(body).failures, [], JSON.stringify(body));
  }
  assert.equal(refusalOf("no JSON").reason, "it is not JSON");
  assert.equal(refusalOf({}, "webhook.called").reason, "its subject is unknown");
});

test("readEvent() tells no failure of a message that is only asked about", () => {
  const question = { v: 2, sendId, accountId: "acc_1", index: 0 };
  const refusal = refusalOf(question, "content.requested");
  assert.deepEqual([refusal.failures, refusal.isNewer], [[], true]);
  assert.deepEqual(refusalOf({ ...question, v: 1, index: -1 }, "content.requested").failures, []);
});
