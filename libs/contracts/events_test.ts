import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type EventData,
  EVENTS,
  type EventType,
  MAX_MESSAGES_PER_EVENT,
  newestVersionOf,
  RESUMED_PER_EVENT,
} from "./events.ts";
import { messageIdOf, newSendId } from "./ids.ts";
import { pageOptionsSchema } from "./page_options.ts";

const AT = "2026-03-01T10:00:00.000Z";
const sendId = newSendId("acc_1", new Date(AT));

const send = {
  v: 2 as const,
  sendId,
  accountId: "acc_1",
  priority: "transactional" as const,
  acceptedAt: AT,
  integrationId: 1,
  from: { email: "shop@example.com", name: "Shop" },
};

const message = {
  index: 0,
  attempt: 0,
  to: { email: "ann@example.com" },
  subject: "Hello",
  html: { inline: "<p>Hello</p>" },
  text: { key: "a".repeat(64) },
};

const statusEvent = {
  messageId: messageIdOf(sendId, 0),
  sendId,
  accountId: "acc_1",
  index: 0,
  attempt: 1,
  at: AT,
  durationMs: 12.5,
};

const reply = { code: 250, enhanced: "2.0.0", response: "250 2.0.0 OK" };

function report<T>(...outcomes: T[]) {
  return { v: 3 as const, outcomes };
}

// With this type, an event without a sample does not compile.
const SAMPLES: { [T in EventType]: EventData<T> } = {
  "render.requested": {
    v: 2,
    accountId: "acc_1",
    templateId: 1,
    version: 3,
    variables: { name: "Ann", items: [{ price: 1.5 }] },
    others: [{ name: "Bob" }],
  },
  "send.requested": {
    ...send,
    template: { id: 1, version: 3 },
    pdfVersions: { 7: 2 },
    variables: { name: "A" },
    recipients: [{
      index: 0,
      attempt: 0,
      email: "ann@example.com",
      name: "Ann",
      variables: { name: "B" },
      attachments: [{ id: 7, filename: "invoice.pdf", variables: { name: "C" } }],
    }],
  },
  "send.resumed": {
    v: 2,
    sendId,
    accountId: "acc_1",
    priority: "bulk",
    again: [{ index: 1, attempt: 2 }, { index: 7, attempt: 0 }],
  },
  "preview.requested": {
    v: 2,
    accountId: "acc_1",
    template: { kind: "email", subject: "Hi {{name}}", html: { inline: "<p>{{name}}</p>" } },
    declarations: [{ name: "name", required: true }],
    locale: "en",
    variables: { name: "Ann" },
  },
  "content.requested": { v: 2, accountId: "acc_1", sendId, index: 0 },
  "print.requested": {
    v: 2,
    accountId: "acc_1",
    name: "invoice.pdf",
    html: { key: "0af1" },
    page: pageOptionsSchema.parse({}),
  },
  "webhook.requested": { v: 2, accountId: "acc_1", webhookId: "whk_1" },
  "consent.requested": {
    ...{ v: 2, accountId: "acc_1", integrationId: 1 },
    grant: { keyId: "k1", ephemeralKey: "e", wrappedKey: "w", nonce: "n", ciphertext: "c" },
  },
  "probe.requested": {
    v: 2,
    accountId: "acc_1",
    settings: {
      recordId: "acc_1/1",
      host: "smtp.example.com",
      port: 587,
      tls: "starttls",
      ca: null,
      allowInvalidCertificate: false,
      auth: null,
    },
  },
  "messages.rendered": {
    ...send,
    v: 4,
    messages: [{
      ...message,
      text: { offset: 0, size: 0 },
      pdfs: [{
        templateId: 7,
        filename: "invoice.pdf",
        html: { inline: "<h1>Invoice</h1>" },
        page: pageOptionsSchema.parse({}),
      }],
    }],
  },
  "messages.printed": {
    ...send,
    redelivered: true,
    messages: [{
      ...message,
      attachments: [
        { filename: "invoice.pdf", key: "b".repeat(64), size: 20_000 },
        { filename: "own.pdf", offset: 0, size: 9000 },
      ],
    }],
  },
  "status.send.accepted": { v: 2, sendId, accountId: "acc_1", at: AT },
  "status.lease.renewed": { v: 2, renewals: 7 },
  "status.message.waiting": report({
    ...statusEvent,
    reason: "The image server is busy",
    nextAt: AT,
  }),
  "status.message.returned": report({ ...statusEvent, integrationId: 4, acceptedAt: AT }),
  "status.message.dropped": report({ ...statusEvent, integrationId: 4 }),
  "status.message.sent": report({ ...statusEvent, reply }),
  "status.message.deferred": report({
    ...statusEvent,
    reason: "The server is busy",
    reply,
    nextAt: AT,
  }),
  "status.message.unknown": report({ ...statusEvent, reason: "The connection was lost" }),
  "status.message.suppressed": report({ ...statusEvent, reason: "On the suppression list" }),
  "status.message.failed": report({
    ...statusEvent,
    stage: "mailer",
    reason: "No such mailbox",
    reply,
  }),
};

const NAMES = Object.keys(EVENTS) as EventType[];

test("EVENTS has a shape for every sample, and a sample for every shape", () => {
  assert.deepEqual(Object.keys(SAMPLES).toSorted(), NAMES.toSorted());
});

for (const type of NAMES) {
  test(`EVENTS["${type}"] reads its event unchanged after a round trip through JSON`, () => {
    const travelled = JSON.parse(JSON.stringify(SAMPLES[type]));
    assert.deepEqual(EVENTS[type].parse(travelled), SAMPLES[type]);
  });

  test(`EVENTS["${type}"] refuses an event of a newer version`, () => {
    const v = newestVersionOf(type) + 1;
    assert.ok(!EVENTS[type].safeParse({ ...SAMPLES[type], v }).success);
  });
}

test("EVENTS reads an event that has unknown fields", () => {
  const [sent] = SAMPLES["status.message.sent"].outcomes;
  const newer = { v: 3, outcomes: [{ ...sent, tlsVersion: "1.3" }], more: 1 };
  assert.ok(EVENTS["status.message.sent"].safeParse(newer).success);
});

test("EVENTS reads the outcomes of an earlier process, which calls them facts", () => {
  const { outcomes } = SAMPLES["status.message.sent"];
  const read = EVENTS["status.message.sent"].parse({ v: 2, facts: outcomes });
  assert.deepEqual(read, SAMPLES["status.message.sent"]);
});

test("EVENTS refuses content that is both inline and stored, or neither", () => {
  for (const html of [{}, { inline: "x", key: "y" }, "x"]) {
    const { messages: [printed], ...head } = SAMPLES["messages.printed"];
    const broken = { ...head, messages: [{ ...printed, html }] };
    assert.ok(!EVENTS["messages.printed"].safeParse(broken).success, JSON.stringify(html));
  }
});

test("EVENTS has no field for an address in any status event", () => {
  for (const type of NAMES.filter((name) => name.startsWith("status."))) {
    assert.ok(!JSON.stringify(SAMPLES[type]).includes("@"), type);
    const withEmail = JSON.parse(
      JSON.stringify(SAMPLES[type]),
      (_, value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? { ...value, email: "ann@example.com" }
          : value,
    );
    assert.ok(!JSON.stringify(EVENTS[type].parse(withEmail)).includes("@"), type);
  }
});

test("EVENTS accepts a dispatch by reference of 1 to 200 messages", () => {
  const resumed = (count: number) =>
    EVENTS["send.resumed"].safeParse({
      ...SAMPLES["send.resumed"],
      again: Array.from({ length: count }, (_, index) => ({ index, attempt: 0 })),
    }).success;
  assert.deepEqual([0, 1, RESUMED_PER_EVENT, RESUMED_PER_EVENT + 1].map(resumed), [
    false,
    true,
    true,
    false,
  ]);
});

test("EVENTS accepts 1 to 25 messages of a send in one event", () => {
  const { messages: [message], ...head } = SAMPLES["messages.rendered"];
  const takes = (count: number) =>
    EVENTS["messages.rendered"].safeParse({ ...head, messages: Array(count).fill(message) })
      .success;
  assert.deepEqual([0, 1, MAX_MESSAGES_PER_EVENT, MAX_MESSAGES_PER_EVENT + 1].map(takes), [
    false,
    true,
    true,
    false,
  ]);
});
