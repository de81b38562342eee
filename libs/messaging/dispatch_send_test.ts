import {
  EVENTS,
  MAX_EVENT_BYTES,
  MAX_MESSAGES_PER_EVENT,
  type Recipient,
  type Send,
  type Variables,
} from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dispatchesOf, dispatchSend, redispatchesOf } from "./dispatch_send.ts";
import type { Outgoing } from "./step.ts";

function sendTo(to: Recipient[], variables?: Variables): Send {
  return testSend({
    acceptedAt: new Date(1_700_000_000_000),
    priority: "bulk",
    template: { id: 1, version: 2 },
    pdfVersions: { 7: 3 },
    integrationId: 4,
    request: {
      from: { email: "shop@example.com", name: "Shop" },
      to,
      ...variables && { variables },
    },
    subjectKey: "key",
  });
}

function recipients(count: number, variables?: Variables): Recipient[] {
  return Array.from({ length: count }, (_, index) => ({
    email: `person${index}@example.com`,
    ...variables && { variables },
  }));
}

/** The events, as their reader sees them; fails if one is too large or malformed. */
function read(events: Outgoing[]) {
  const travelled = events.map(({ type, data }) => {
    assert.ok(Buffer.byteLength(JSON.stringify(data)) <= MAX_EVENT_BYTES, "too large");
    const json = JSON.parse(JSON.stringify(data));
    return type === "send.requested"
      ? { requested: EVENTS["send.requested"].parse(json) }
      : { resumed: EVENTS["send.resumed"].parse(json) };
  });
  return {
    requested: travelled.flatMap(({ requested }) => requested ?? []),
    resumed: travelled.flatMap(({ resumed }) => resumed ?? []),
    /** Every index that the events speak of, in their order. */
    indexes: travelled.flatMap(({ requested, resumed }) =>
      [...requested?.recipients ?? [], ...resumed?.again ?? []].map(({ index }) => index)
    ),
  };
}

const THOUSAND = Array.from({ length: 1000 }, (_, index) => index);

test("dispatchesOf() says all that is needed to render a send", () => {
  const to = [{ email: "ann@example.com", name: "Ann", variables: { a: 1 } }];
  const send = sendTo(to, { b: 2 });
  assert.deepEqual(read(dispatchesOf(send)).requested, [{
    v: 2,
    sendId: send._id,
    accountId: "acc_1",
    priority: "bulk",
    acceptedAt: "2023-11-14T22:13:20.000Z",
    integrationId: 4,
    from: { email: "shop@example.com", name: "Shop" },
    subjectKey: "key",
    template: { id: 1, version: 2 },
    pdfVersions: { 7: 3 },
    variables: { b: 2 },
    recipients: [{ index: 0, attempt: 0, ...to[0] }],
  }]);
});

test("dispatchesOf() has each recipient say the envelope, in a version that older workers hand back", () => {
  const send = sendTo([
    { email: "ann@example.com" },
    { email: "bob@example.com", replyTo: [], headers: { "x-a": "" } },
  ]);
  const top = { replyTo: [{ email: "help@example.com" }], headers: { "X-A": "1" } };
  const request = { ...send.request, ...top };
  const [event] = read(dispatchesOf({ ...send, request, eventVersion: 3 })).requested;
  assert.equal(event?.v, 3);
  assert.deepEqual(event?.recipients, [
    { index: 0, attempt: 0, email: "ann@example.com", envelope: top },
    { index: 1, attempt: 0, email: "bob@example.com" },
  ]);
  const again = redispatchesOf({ ...send, eventVersion: 3 }, [{ index: 0, attempt: 1 }]);
  assert.equal(read(again).resumed[0]?.v, 3);
  assert.equal(read(redispatchesOf(send, [{ index: 0, attempt: 1 }])).resumed[0]?.v, 2);
});

test("dispatchesOf() shares 1,000 recipients out, each once and in order", () => {
  const events = dispatchesOf(sendTo(recipients(1000)));
  assert.equal(events.length, 1000 / MAX_MESSAGES_PER_EVENT);
  assert.deepEqual(read(events).indexes, THOUSAND);
});

test("dispatchesOf() makes more parts where recipients weigh more", () => {
  const events = dispatchesOf(sendTo(recipients(100, { text: "ä".repeat(20_000) })));
  assert.deepEqual(read(events).indexes, THOUSAND.slice(0, 100));
  assert.ok(events.length > 100 / MAX_MESSAGES_PER_EVENT, `${events.length} events`);
});

test("dispatchesOf() makes five times as many parts where recipients have PDFs", () => {
  const to = recipients(100).map((recipient) => ({ ...recipient, attachments: [{ id: 7 }] }));
  const events = dispatchesOf(sendTo([...recipients(50), ...to]));
  assert.equal(events.length, 150 * 5 / MAX_MESSAGES_PER_EVENT);
  assert.deepEqual(read(events).indexes, THOUSAND.slice(0, 150));
});

test("dispatchesOf() leaves room for the common variables in each part", () => {
  const common = { terms: "x".repeat(400_000) };
  const events = dispatchesOf(sendTo(recipients(50, { text: "y".repeat(10_000) }), common));
  assert.deepEqual(read(events).indexes, THOUSAND.slice(0, 50));
  assert.ok(read(events).requested.every(({ variables }) => variables?.["terms"] === common.terms));
});

test("dispatchesOf() leaves room for a long list of pinned PDF versions", () => {
  const send = sendTo(recipients(100, { text: "y".repeat(10_000) }));
  for (let id = 1; id <= 10_000; id++) send.pdfVersions[id] = 123;
  assert.deepEqual(read(dispatchesOf(send)).indexes, THOUSAND.slice(0, 100));
});

test("dispatchesOf() only names a recipient who is too large for an event", () => {
  const to = recipients(3);
  to[1] = { email: "large@example.com", variables: { text: "z".repeat(600_000) } };
  const send = sendTo(to);
  const { requested, resumed } = read(dispatchesOf(send));
  assert.deepEqual(resumed, [{
    v: 2,
    sendId: send._id,
    accountId: "acc_1",
    priority: "bulk",
    again: [{ index: 1, attempt: 0 }],
  }]);
  const carried = requested.flatMap(({ recipients }) => recipients);
  assert.deepEqual(carried.map(({ index }) => index), [0, 2]);
});

test("dispatchesOf() only names all recipients where the common variables are too large", () => {
  const events = dispatchesOf(sendTo(recipients(30), { text: "z".repeat(1_000_000) }));
  assert.ok(events.every(({ type }) => type === "send.resumed"));
  assert.deepEqual(read(events).indexes, THOUSAND.slice(0, 30));
});

test("redispatchesOf() names messages with their attempts, 200 in an event unless told otherwise", () => {
  const send = sendTo(recipients(1000));
  const messages = THOUSAND.map((index) => ({ index, attempt: index % 3, state: "queued" }));
  const { resumed } = read(redispatchesOf(send, messages));
  assert.deepEqual(resumed.map(({ again }) => again.length), [200, 200, 200, 200, 200]);
  assert.deepEqual(
    resumed.flatMap(({ again }) => again),
    THOUSAND.map((index) => ({ index, attempt: index % 3 })),
  );
  assert.equal(redispatchesOf(send, messages, { perEvent: 25 }).length, 40);
  assert.deepEqual(redispatchesOf(send, []), []);
});

test("dispatchSend() publishes the dispatches of a send, each under an id of its own", async () => {
  const published: [string, string | undefined][] = [];
  const send = sendTo(recipients(2 * MAX_MESSAGES_PER_EVENT));
  await dispatchSend({
    publish: ({ type }, { id } = {}) => Promise.resolve(void published.push([type, id])),
  }, send);
  assert.deepEqual(published, [0, 1].map((part) => ["send.requested", `${send._id}.${part}`]));
});
