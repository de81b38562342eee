import {
  type EventData,
  type Message,
  messageIdOf,
  newSendId,
  type PrintedMessage,
  type Suppression,
} from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import {
  type Delivery,
  type MessageStatusEvent,
  openBus,
  type Outgoing,
  type Place,
  runStep,
  statusEventsIn,
  type Verdict,
} from "@posthaste/messaging";
import { MasterKeyMissingError, newSubjectKey, openSubject } from "@posthaste/storage";
import { openLogger } from "@posthaste/telemetry";
import { type Changes, openMemoryLedger, openTestNats, until, withChanges } from "@posthaste/kit";
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { integrationOf } from "./_test_integration.ts";
import { encodeAttachment } from "./base64_lines.ts";
import { openAdmission } from "./admission.ts";
import { type SendDeps, sendStep } from "./send_step.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";
import type { OutgoingMail } from "./transport_pool.ts";
import { UntriedError } from "./untried_error.ts";

const sendId = newSendId("acc_1");
const ACCEPTED = "2026-03-01T10:00:00.000Z";
const NOW = Date.parse("2026-03-01T10:00:05.000Z");
const TRANSFER_MS = 60_000;
const REPLY_MS = 600_000;

const ID = messageIdOf(sendId, 3);

const MESSAGE: PrintedMessage = {
  index: 3,
  attempt: 0,
  to: { email: "ann@example.org", name: "Ann" },
  subject: "Hello",
  html: { inline: "<p>Hello</p>" },
  text: { inline: "Hello" },
  attachments: [],
};

const EVENT: EventData<"messages.printed"> = {
  v: 2,
  sendId,
  accountId: "acc_1",
  priority: "transactional",
  acceptedAt: ACCEPTED,
  integrationId: 4,
  from: { email: "shop@example.com", name: "Shop" },
  messages: [MESSAGE],
};

const ACCEPTED_REPLY = { code: 250, enhanced: "2.0.0", response: "250 2.0.0 OK" };

/** Opens a mailer whose dependencies record into arrays; `changes` replaces parts of it. */
function openMailer(changes: Changes<SendDeps> = {}) {
  const ledger = openMemoryLedger();
  const world = {
    ledger,
    mails: [] as OutgoingMail[],
    written: ledger.written,
    noted: [] as string[],
    logged: [] as string[],
    /** The reported outcomes. */
    statusEvents: [] as MessageStatusEvent[],
    now: NOW,
    suppressed: [] as Suppression[],
    refused: [] as string[],
  };
  const log = (line: string) => void world.logged.push(line);
  const deps = withChanges<SendDeps>({
    registers: {
      ledgerOf: ledger.registers.ledgerOf,
      find: ledger.registers.find,
    },
    messages: {
      find: () => Promise.resolve(null),
    },
    findSuppressed: (_accountId, emails) =>
      Promise.resolve(
        new Map(
          world.suppressed.filter(({ email = "" }) => emails.includes(email))
            .map((entry) => [entry.email ?? "", entry]),
        ),
      ),
    suppressions: {
      noteRefused: (accountId, { email, reply }) => {
        world.refused.push(`${accountId} ${email}: ${reply?.code} ${reply?.enhanced}`);
        return Promise.resolve(true);
      },
    },
    integrations: {
      suspend: ({ _id }, { reason }) => {
        world.noted.push(`suspend ${_id}: ${reason}`);
        return Promise.resolve(true);
      },
      find: (accountId, id) =>
        Promise.resolve(accountId === "acc_1" && id === 4 ? integrationOf() : null),
    },
    circuits: {
      noteRefusedLogin: ({ id, reason, retryMs }) => {
        world.noted.push(`refused ${id} for ${retryMs} ms: ${reason}`);
        return Promise.resolve(false);
      },
    },
    peers: () => ({ count: 4 }),
    admission: {
      admit: ({ maxConnections: connections }) =>
        Promise.resolve({
          connections,
          leave: () => void world.noted.push("left"),
          giveBack: () => void world.noted.push("gave back"),
        }),
      block: ({ _id }) => void world.noted.push(`block ${_id}`),
    },
    circuitStates: {
      note(id, { reason }) {
        world.noted.push(`note ${id}: ${reason}`);
        return Promise.resolve(false);
      },
      clear: (id) => Promise.resolve(void world.noted.push(`clear ${id}`)),
    },
    inFlight: openSemaphore({ max: 1_000_000 }),
    report: (statusEvent) => Promise.resolve(void world.statusEvents.push(statusEvent)),
    unseal: ({ host, port, tls }) => ({ key: "acc_1/4", host, port, tls, auth: null }),
    send: async (mail) => {
      mail.onData?.();
      await mail.onDot?.();
      world.mails.push(mail);
      return ACCEPTED_REPLY;
    },
    loadAttachment: () => Promise.resolve(undefined),
    loadFile: () => Promise.resolve(undefined),
    loadContent: () => Promise.resolve(undefined),
    now: () => new Date(world.now),
    logger: { info: () => undefined, warn: log, error: log },
    transferMs: TRANSFER_MS,
    replyMs: REPLY_MS,
    retryMs: 60_000,
    mailLimit: 1_000_000,
  }, changes);
  const step = sendStep(deps);
  const send = (data: typeof EVENT, place?: Place) =>
    runStep(step, { type: "messages.printed", data }, {
      signal: new AbortController().signal,
      ...(place === undefined ? {} : { place }),
    });
  /** Sends one message. */
  const run = (data: Partial<typeof MESSAGE> = {}, place?: Place) =>
    send({ ...EVENT, messages: [{ ...MESSAGE, ...data }] }, place);
  return { world, step, send, run };
}

function publishedBy(verdict: Verdict): Outgoing[] {
  assert.equal(verdict.type, "done", JSON.stringify(verdict));
  return verdict.type === "done" ? verdict.publish : [];
}

function refusal(response: string, phase: SmtpFailure["phase"] = "rcpt") {
  return () => Promise.reject(new SmtpFailure("refused", { phase, fault: "reply", response }));
}

test("sendStep() reports no negative time if its clock steps back while it sends", async () => {
  const { world, run } = openMailer({
    send: async (mail) => {
      mail.onData?.();
      await mail.onDot?.();
      world.now = NOW - 2000;
      return ACCEPTED_REPLY;
    },
  });
  await run();
  const [statusEvent] = world.statusEvents;
  assert.equal(statusEvent?.type, "status.message.sent");
  assert.partialDeepStrictEqual(statusEvent.data, {
    at: new Date(NOW).toISOString(),
    durationMs: 0,
  });
  const times = world.written.at(-1)?.lines.map(({ at }) => at.getTime());
  assert.deepEqual(times, times?.toSorted((a, b) => a - b));
});

test("sendStep() releases its slot after its bytes are counted, of all and of its account", async () => {
  const answer = Promise.withResolvers<void>();
  let begun = 0;
  const { world, run, send } = openMailer({
    // Each counts for 32,000 bytes and its texts.
    inFlight: openSemaphore({ max: 100_000, maxPerOwner: 70_000 }),
    send: async (mail) => {
      mail.onData?.();
      await mail.onDot?.();
      begun++;
      await answer.promise;
      return ACCEPTED_REPLY;
    },
  });
  let released = 0;
  const place = { release: () => void released++ };
  const first = run({}, place);
  const second = run({ index: 4 }, place);
  while (begun < 2) await turn();
  assert.equal(released, 2);
  await run({ index: 5 }, place);
  assert.deepEqual(world.statusEvents.splice(0).map(({ type }) => type), [
    "status.message.returned",
  ]);
  // Another account's mail continues, and keeps its slot if its bytes do not fit.
  assert.equal(released, 3);
  const others = [[10], [11, 12]].map((indexes) => {
    const messages = indexes.map((index) => ({ ...MESSAGE, index }));
    return send({ ...EVENT, accountId: "acc_2", messages }, place);
  });
  await Promise.all(others);
  assert.equal(released, 4);
  answer.resolve();
  await Promise.all([first, second]);
  await run({ index: 6 }, place);
  assert.equal(released, 5);
  assert.deepEqual(world.statusEvents.length, 6);
});

test("sendStep() sends the messages of an event concurrently, and each has its own outcome", async () => {
  const { world, send } = openMailer({
    send: async (mail) => {
      if (mail.envelope.to.startsWith("no")) {
        return await refusal("550 5.1.1 no such user")();
      }
      mail.onData?.();
      await mail.onDot?.();
      world.mails.push(mail);
      return ACCEPTED_REPLY;
    },
  });
  const messages = ["ann", "no", "bob"].map((name, index) => ({
    ...MESSAGE,
    ...{ index, to: { email: `${name}@example.org` } },
  }));
  const verdict = await send({ ...EVENT, messages });
  assert.deepEqual(publishedBy(verdict), []);
  assert.deepEqual(world.mails.map(({ envelope }) => envelope.to), [
    "ann@example.org",
    "bob@example.org",
  ]);
  assert.deepEqual(
    world.statusEvents.map(({ type, data }) => [type, data.index]).toSorted(),
    [["status.message.failed", 1], ["status.message.sent", 0], ["status.message.sent", 2]],
  );
});

test("sendStep() looks up what was sent before, for a redelivered event", async () => {
  for (const again of [{ isAgain: true }, { redelivered: true }]) {
    const { world, step } = openMailer();
    world.ledger.inserted.set(`${ID}/1`, { by: "another", dot: true });
    const { isAgain = false, ...mark } = { redelivered: false, ...again };
    const data = { ...EVENT, ...mark, messages: [MESSAGE, { ...MESSAGE, index: 4 }] };
    const delivery = { type: "messages.printed" as const, data, isAgain };
    await step.handle(delivery, new AbortController().signal);
    assert.deepEqual(world.statusEvents.map(({ type, data }) => [type, data.index, data.attempt]), [
      ["status.message.dropped", MESSAGE.index, 0],
      ["status.message.sent", 4, 1],
    ]);
    assert.equal(world.mails.length, 1);
  }
});

test("sendStep() retries an event only after all of its messages have ended", async () => {
  const error = new Error("nobody foresaw it");
  const { world, send } = openMailer({
    messages: {
      find: (_, id) => id === ID ? Promise.reject(error) : Promise.resolve(deferredMessage()),
    },
  });
  const messages = [MESSAGE, { ...MESSAGE, index: 4 }].map((one) => ({ ...one, attempt: 1 }));
  const verdict = await send({ ...EVENT, messages });
  assert.deepEqual(verdict, { type: "retry", reason: error, outage: false });
  assert.deepEqual(world.statusEvents.map(({ data }) => data.index), [4]);
});

/** A message as its last attempt left it. */
function deferredMessage(changes: Partial<Message> = {}) {
  return { attempt: 1, state: "deferred", mimeHash: null, timeline: [], ...changes } as Message;
}

test("sendStep() takes the register of the attempt, sends the mail and writes the server's answer", async () => {
  const { world, run } = openMailer();
  await run();
  assert.deepEqual([...world.ledger.inserted.keys()], [`${ID}/1`]);
  assert.deepEqual(world.ledger.waits, [TRANSFER_MS + REPLY_MS + 60_000]);
  const [mail] = world.mails;
  assert.deepEqual(mail?.envelope, { from: "shop@example.com", to: "ann@example.org" });
  const raw = mail?.raw.toString() ?? "";
  assert.match(raw, new RegExp(`^Message-ID: <${ID}@example.com>\r$`, "m"));
  assert.match(raw, /^Date: Sun, 01 Mar 2026 10:00:00 \+0000\r$/m);
  const [written] = world.written;
  assert.deepEqual([written?.state, written?.attempt], ["sent", 1]);
  assert.match(written?.mimeHash ?? "", /^[0-9a-f]{64}$/);
  const [statusEvent] = world.statusEvents;
  assert.ok(statusEvent?.type === "status.message.sent");
  assert.deepEqual([statusEvent.data.attempt, statusEvent.data.reply], [1, ACCEPTED_REPLY]);
  assert.ok(!JSON.stringify(statusEvent).includes("@"));
});

test("sendStep() writes the subject only encrypted, with the key of the send, and not without one", async () => {
  const { ledgerOf } = openMemoryLedger().registers;
  const written: (string | undefined)[] = [];
  const registers: SendDeps["registers"] = {
    find: () => Promise.resolve(new Map()),
    ledgerOf: (message, options) => {
      assert.ok(!JSON.stringify(message).includes(MESSAGE.subject));
      written.push(message.sealedSubject);
      return ledgerOf(message, options);
    },
  };
  const { world, send } = openMailer({ registers });
  const subjectKey = newSubjectKey();
  await send({ ...EVENT, subjectKey });
  await send({ ...EVENT, messages: [{ ...MESSAGE, index: 4 }] });
  await send({ ...EVENT, subjectKey, messages: [{ ...MESSAGE, index: 5, subject: "" }] });
  assert.equal(world.mails.length, 3);
  assert.deepEqual(written.map((sealed) => openSubject(sealed, subjectKey)), [
    ...[MESSAGE.subject, null, null],
  ]);
});

test("sendStep() sends a message without PDFs as the renderer made it", async () => {
  const { world, step } = openMailer();
  const { attachments: _, ...rest } = MESSAGE;
  const data = { ...EVENT, messages: [{ ...rest, pdfs: [] }] };
  await step.handle({ type: "messages.rendered", data }, new AbortController().signal);
  assert.equal(world.mails.length, 1);
});

test("sendStep() sends copies with the mail, names no blind one, and records the refused ones", async () => {
  const reply = { code: 550, enhanced: "5.1.1", text: "550 5.1.1 no", lines: ["550 5.1.1 no"] };
  const { world, run } = openMailer({
    send: async (mail) => {
      mail.onData?.();
      world.mails.push(mail);
      assert.equal(mail.goesWithout?.("di@example.net", reply), true);
      await mail.onDot?.();
      return ACCEPTED_REPLY;
    },
  });
  const envelope = { cc: [{ email: "cy@example.net" }], bcc: [{ email: "di@example.net" }] };
  await run({ envelope });
  const [mail] = world.mails;
  assert.deepEqual(mail?.envelope.copies, ["cy@example.net", "di@example.net"]);
  assert.match(mail?.raw.toString() ?? "", /^Cc: cy@example.net\r$/m);
  assert.doesNotMatch(mail?.raw.toString() ?? "", /di@example.net|^Bcc:/im);
  const { text: response, code, enhanced } = reply;
  const refused = [{ email: "di@example.net", reply: { code, response, enhanced } }];
  assert.deepEqual(world.written.at(-1)?.copiesRefused, refused);
});

test("sendStep() makes the same bytes on every attempt", async () => {
  const first = openMailer();
  const second = openMailer({
    messages: {
      find: () => Promise.resolve(deferredMessage()),
    },
  });
  second.world.now += 3_600_000;
  await first.run();
  await second.run({ attempt: 1 });
  assert.deepEqual(first.world.mails[0]?.raw, second.world.mails[0]?.raw);
  assert.equal(first.world.written[0]?.mimeHash, second.world.written[0]?.mimeHash);
});

test("sendStep() warns when a mail differs from its earlier attempt, and sends it", async () => {
  const earlier = deferredMessage({ mimeHash: "other" });
  const { world, run } = openMailer({
    messages: {
      find: () => Promise.resolve(earlier),
    },
  });
  await run({ attempt: 1 });
  assert.deepEqual(world.logged, ["A mail differs from its earlier attempt"]);
  assert.equal(world.mails.length, 1);
});

test("sendStep() sends and writes nothing where another worker has ended the attempt", async () => {
  const { world, run } = openMailer({
    send: async ({ onData, onDot }) => {
      onData?.();
      const cause = await Promise.resolve(onDot?.()).then(() => undefined, (error) => error);
      assert.match(String(cause), /another worker has ended the attempt/);
      throw new SmtpFailure("held back", { phase: "body", fault: "held", cause });
    },
  });
  world.ledger.inserted.set(`${ID}/1`, { by: "another", dot: true });
  assert.deepEqual(await run(), { type: "done", publish: [] });
  assert.deepEqual(world.written, []);
  // This happens to each message that is canceled on its way.
  assert.deepEqual(world.logged, []);
  assert.deepEqual(world.statusEvents.map(({ type, data: { attempt } }) => [type, attempt]), [
    ["status.message.dropped", 0],
  ]);
});

test("sendStep() makes no transaction for an attempt that is over", async () => {
  for (
    const earlier of [{ attempt: 2 }, { state: "sent" as const }, { state: "sending" as const }]
  ) {
    const { world, run } = openMailer({
      messages: {
        find: () => Promise.resolve(deferredMessage(earlier)),
      },
    });
    assert.deepEqual(await run({ attempt: 1 }), { type: "done", publish: [] });
    assert.deepEqual([world.mails, world.written], [[], []]);
    assert.deepEqual(world.statusEvents.map(({ type, data: { attempt } }) => [type, attempt]), [
      ["status.message.dropped", 1],
    ]);
  }
});

const DAY_MS = 24 * 3_600_000;

test("sendStep() sends nothing that the ledger may have removed", async () => {
  const gone = {
    messages: {
      find: () => Promise.resolve(null),
    },
  };
  for (const { attempt, days } of [{ attempt: 1, days: 0 }, { attempt: 0, days: 6 }]) {
    const { world, run } = openMailer(gone);
    world.now = Date.parse(ACCEPTED) + days * DAY_MS;
    assert.deepEqual(await run({ attempt }), { type: "done", publish: [] });
    assert.deepEqual([world.mails, world.ledger.inserted.size], [[], 0]);
  }
  const young = openMailer(gone);
  young.world.now = Date.parse(ACCEPTED) + 6 * DAY_MS - 1;
  await young.run();
  assert.equal(young.world.mails.length, 1, "its registers are there");
});

test("sendStep() offers no server the mail of an event that is too old, and defers the message", async () => {
  // One that waited for its images is deferred. If it were dropped, it would be redispatched without end.
  for (const state of ["queued", "deferred"] as const) {
    const { world, run } = openMailer({
      messages: {
        find: () => Promise.resolve(deferredMessage({ attempt: 0, state })),
      },
      send: () => assert.fail("it was sent"),
    });
    world.now = Date.parse(ACCEPTED) + 6 * DAY_MS;
    await run();
    const [ended] = world.written;
    assert.deepEqual([ended?.state, ended?.nextAt], ["deferred", new Date(world.now)]);
    assert.deepEqual([world.written.length, world.noted[0]], [1, "gave back"]);
  }
});

test("sendStep() sends no final dot for an event that becomes too old on its way", async () => {
  const { world, run } = openMailer({
    send: async ({ onData, onDot }) => {
      world.now++;
      onData?.();
      const cause = await Promise.resolve(onDot?.()).then(() => undefined, (error) => error);
      assert.match(String(cause), /its time limit has passed/);
      throw new SmtpFailure("held back", { phase: "body", fault: "held", cause });
    },
  });
  world.now = Date.parse(ACCEPTED) + 6 * DAY_MS - 1;
  await run();
  assert.deepEqual([world.written[0]?.state, world.mails], ["deferred", []]);
});

test("sendStep() records the attempt in the ledger before its final dot", async () => {
  const { world, run } = openMailer({
    send: async ({ onData, onDot }) => {
      assert.equal(world.ledger.inserted.size, 0);
      onData?.();
      await onDot?.();
      assert.equal(world.ledger.inserted.size, 1);
      return ACCEPTED_REPLY;
    },
  });
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.sent"]);
});

test("sendStep() takes no register of an attempt that ends before the server waits for the mail", async () => {
  const { world, run } = openMailer({ send: refusal("550 5.1.1 no such user") });
  await run();
  const [register] = world.ledger.inserted.values();
  assert.ok(register && "void" in register);
  assert.equal(register.void.state, "failed");
});

test("sendStep() ends a message to a suppressed address without a dot, and reports why", async () => {
  const { world, run } = openMailer();
  world.suppressed = [{
    ...{
      _id: "x",
      accountId: "acc_1",
      email: MESSAGE.to.email,
      reason: "hard_refusal",
      at: new Date(),
    },
    reply: { code: 550, enhanced: "5.1.1" },
  }];
  await run();
  assert.deepEqual(world.mails, []);
  const [register] = world.ledger.inserted.values();
  assert.ok(register && "void" in register);
  const { state, reason, lines } = register.void;
  assert.equal(state, "suppressed");
  assert.equal(reason, "The address is on the suppression list: a server refused it (550 5.1.1)");
  assert.deepEqual(lines.map(({ type }) => type).filter((type) => type === "sending"), []);
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.suppressed"]);
});

test("sendStep() sends to a suppressed address on demand, and no copies to suppressed addresses", async () => {
  const { world, run } = openMailer();
  const suppressed = { _id: "x", accountId: "acc_1", reason: "manual" as const, at: new Date() };
  const copy = "cy@example.net";
  world.suppressed = [MESSAGE.to.email, copy].map((email) => ({ ...suppressed, email }));
  await run({ envelope: { toSuppressed: true, cc: [{ email: copy }] } });
  assert.deepEqual(world.mails.map(({ envelope }) => [envelope.to, envelope.copies]), [
    [MESSAGE.to.email, undefined],
  ]);
  assert.doesNotMatch(String(world.mails[0]?.raw), /suppressed/i);
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.sent"]);
});

test("sendStep() leaves suppressed copies out of a mail, and reports which", async () => {
  const { world, run } = openMailer();
  const email = "cy@example.net";
  world.suppressed = [
    { _id: "x", accountId: "acc_1", email, reason: "manual", at: new Date() },
  ];
  await run({ envelope: { cc: [{ email }], bcc: [{ email: "di@example.net" }] } });
  assert.deepEqual(world.mails.map(({ envelope }) => envelope.copies), [["di@example.net"]]);
  const [outcome] = world.written;
  assert.deepEqual(outcome?.copiesRefused, [{ email, reply: {}, suppressed: true }]);
});

test("sendStep() suppresses a recipient whose mailbox does not exist, and no other", async () => {
  const refused = async (reply: string, phase: "rcpt" | "dot" = "rcpt") => {
    const { world, run } = openMailer({ send: refusal(reply, phase) });
    await run();
    return world.refused;
  };
  assert.deepEqual(await refused("550 5.1.1 no such user"), [
    `acc_1 ${MESSAGE.to.email}: 550 5.1.1`,
  ]);
  for (const reply of ["550 5.7.1 policy", "552 5.2.2 full", "450 4.1.1 later", "550 no"]) {
    assert.deepEqual(await refused(reply), [], reply);
  }
  assert.deepEqual(await refused("550 5.1.1 no such user", "dot"), []);
});

test("sendStep() retries after a lost answer of the ledger, and recognizes its own register", async () => {
  const { world, run } = openMailer();
  let isLost = false;
  world.ledger.intercept = (request) => {
    if (isLost || request.op !== "insertRegister") return undefined;
    isLost = true;
    world.ledger.inserted.set(`${ID}/1`, request.register);
    return { type: "unsure" };
  };
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.sent"]);
});

test("sendStep() holds the final dot back when the ledger answers too late", async () => {
  const { world, run } = openMailer({
    transferMs: 50,
    send: async ({ onData, onDot }) => {
      onData?.();
      const cause = await Promise.resolve(onDot?.()).then(() => undefined, (error) => error);
      throw new SmtpFailure("held back", { phase: "body", fault: "held", cause });
    },
  });
  let isLost = false;
  world.ledger.intercept = (request) => {
    if (isLost || request.op !== "insertRegister") return undefined;
    isLost = true;
    world.ledger.inserted.set(`${ID}/1`, request.register);
    return { type: "unsure" };
  };
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.deferred"]);
  assert.deepEqual(world.written.map(({ state, unknownAttempt }) => [state, unknownAttempt]), [
    ["deferred", undefined],
  ]);
});

test("sendStep() records an unknown outcome if the reply never came", async () => {
  for (const whenUnknown of ["retry", "hold"] as const) {
    const { world, run } = openMailer({
      integrations: {
        find: () => Promise.resolve(integrationOf({ whenUnknown })),
      },
      send: async ({ onData, onDot }) => {
        onData?.();
        await onDot?.();
        throw new SmtpFailure("silent", { phase: "dot", fault: "stalled" });
      },
    });
    const expected = whenUnknown === "hold" ? "unknown" : "deferred";
    await run();
    assert.equal(world.statusEvents[0]?.type, `status.message.${expected}`);
    const [written] = world.written;
    assert.deepEqual([written?.state, written?.unknownAttempt], [expected, 1]);
    assert.equal(written?.lines.at(-1)?.ambiguous, true);
  }
});

test("sendStep() writes with the outcome what was done before", async () => {
  const { world, run } = openMailer();
  const at = "2026-03-01T10:00:01.000Z";
  await run({ timeline: [{ type: "rendered", at, durationMs: 3 }] });
  const [rendered, sending, sent] = world.written[0]?.lines ?? [];
  assert.deepEqual(rendered, { type: "rendered", at: new Date(at), attempt: 0, durationMs: 3 });
  assert.deepEqual([sending?.type, sending?.attempt], ["sending", 1]);
  assert.deepEqual([sent?.type, sent?.attempt, sent?.detail], ["sent", 1, ACCEPTED_REPLY.response]);
});

test("sendStep() keeps the warnings of a message, and reports them when it is sent", async () => {
  const at = "2026-03-01T10:00:01.000Z";
  const warning = { warning: "missing_glyphs" as const, detail: "No font has a glyph" };
  const timeline = [{ type: "printed" as const, at, durationMs: 3, ...warning }];
  const { world, run } = openMailer();
  await run({ timeline });
  const [printed] = world.written[0]?.lines ?? [];
  const entry = { type: "printed", at: new Date(at), attempt: 0, durationMs: 3, ...warning };
  assert.deepEqual(printed, entry);
  const [statusEvent] = world.statusEvents;
  assert.equal(statusEvent?.type, "status.message.sent");
  assert.deepEqual((statusEvent.data as { warnings?: string[] }).warnings, ["missing_glyphs"]);
});

test("sendStep() returns mail that may not be sent now, without a register", async () => {
  const admit = () => Promise.resolve("later" as const);
  const integration = integrationOf({ suspended: { at: new Date(NOW), reason: "no login" } });
  const openClosed = () =>
    openMailer({
      admission: { admit, block: () => {} },
      integrations: {
        find: () => Promise.resolve(integration),
      },
    });
  const { world, run } = openClosed();
  assert.deepEqual(await run(), { type: "done", publish: [] });
  assert.deepEqual([world.ledger.inserted.size, world.mails.length], [0, 0]);
  assert.deepEqual(world.statusEvents, [{
    type: "status.message.returned",
    data: {
      ...{ messageId: ID, sendId, accountId: "acc_1", index: 3, attempt: 0, integrationId: 4 },
      ...{ at: new Date(NOW).toISOString(), acceptedAt: ACCEPTED },
    },
  }]);
  // Whether it has waited too long, the scheduler decides.
  const old = openClosed();
  old.world.now = Date.parse(ACCEPTED) + 48 * 3_600_000;
  await old.run();
  assert.deepEqual(old.world.statusEvents.map(({ type }) => type), ["status.message.returned"]);
  assert.deepEqual(old.world.written, []);
});

test("sendStep() returns a mail untried that waited for a connection and got none", async () => {
  const { world, run } = openMailer({
    send: () => Promise.reject(new UntriedError("smtp.example", "no connection has become free")),
  });
  assert.deepEqual(await run(), { type: "done", publish: [] });
  assert.deepEqual([world.ledger.inserted.size, world.written.length], [0, 0]);
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.returned"]);
  assert.equal(world.noted[0], "gave back");
});

test("sendStep() asks for admission with the priority of its event", async () => {
  const asked: string[] = [];
  const admit = (_: unknown, priority: string) => {
    asked.push(priority);
    return Promise.resolve("later" as const);
  };
  const { step } = openMailer({ admission: { admit, block: () => {} } });
  for (const priority of ["bulk", "transactional"] as const) {
    const delivery = { type: "messages.printed", data: { ...EVENT, priority } } as const;
    await step.handle(delivery, new AbortController().signal);
  }
  assert.deepEqual(asked, ["bulk", "transactional"]);
});

test("sendStep() leaves a mail unchanged to the other mailers, four times for each", async () => {
  const admit = () => Promise.resolve("elsewhere" as const);
  const { world, step } = openMailer({ admission: { admit, block: () => {} } });
  const { signal } = new AbortController();
  const { attachments: _, ...rest } = MESSAGE;
  const first: Delivery<"messages.rendered" | "messages.printed">[] = [
    { type: "messages.printed", data: EVENT },
    { type: "messages.rendered", data: { ...EVENT, messages: [{ ...rest, pdfs: [] }] } },
  ];
  for (const delivery of first) {
    let last = delivery;
    for (let passes = 1; passes <= 16; passes++) {
      const [next, ...more] = publishedBy(await step.handle(last, signal));
      assert.deepEqual(next, { ...delivery, data: { ...delivery.data, passes } });
      assert.deepEqual(more, []);
      last = next as typeof delivery;
    }
    assert.deepEqual([world.ledger.inserted.size, world.mails, world.statusEvents], [0, [], []]);
    assert.deepEqual(publishedBy(await step.handle(last, signal)), []);
    assert.equal(world.statusEvents.pop()?.type, "status.message.returned");
  }
});

/** Two messages whose own PDFs are in the tail of their event. */
const WITH_TAIL: Delivery<"messages.rendered" | "messages.printed"> = {
  type: "messages.printed",
  data: {
    ...EVENT,
    messages: [
      {
        ...{ ...MESSAGE, index: 0, html: { offset: 11, size: 7 } },
        attachments: [{ filename: "a.pdf", offset: 0, size: 5 }],
      },
      {
        ...{ ...MESSAGE, index: 1, html: { offset: 18, size: 8 } },
        attachments: [{ filename: "b.pdf", offset: 5, size: 6 }],
      },
    ],
  },
  tail: Buffer.from("firstsecond<p>One\n<p>Zwö!"),
};

test("sendStep() sends the texts and the PDFs in the tail of the event", async () => {
  const { world, step } = openMailer();
  await step.handle(WITH_TAIL, new AbortController().signal);
  const parts = world.mails.map(({ raw }) =>
    ["first", "second", "<p>One\r\n", "<p>Zwö!"]
      .filter((part) => raw.includes(`\r\n${Buffer.from(part).toString("base64")}\r\n`))
  );
  assert.deepEqual(parts, [["first", "<p>One\r\n"], ["second", "<p>Zwö!"]]);
});

test("sendStep() attaches files of the account by their hash, and fails without one that is gone", async () => {
  const file = { sha256: "ab".repeat(32), size: 2, filename: "a.txt", contentType: "text/plain" };
  const asked: string[] = [];
  const { world, run } = openMailer({
    loadFile: (accountId, sha256) => {
      asked.push(`${accountId}/${sha256}`);
      return Promise.resolve(asked.length > 1 ? undefined : encodeAttachment(Buffer.from("hi")));
    },
  });
  await run({ files: [file] });
  assert.deepEqual(asked, [`acc_1/${file.sha256}`]);
  assert.match(world.mails[0]?.raw.toString() ?? "", /filename="a.txt"[^]*\r\naGk=\r\n/);
  await run({ files: [file], index: 4 });
  assert.equal(world.mails.length, 1);
  assert.equal(world.written.at(-1)?.state, "failed");
  assert.match(world.written.at(-1)?.reason ?? "", /file 0 is no longer stored/);
});

test("sendStep() leaves a mail to the other mailers with the PDFs of its own", async () => {
  let asked = 0;
  const permit = { connections: 1, leave: () => undefined, giveBack: () => undefined };
  const admit = () => Promise.resolve(asked++ === 0 ? permit : "elsewhere" as const);
  const { world, step } = openMailer({ admission: { admit, block: () => {} } });
  const [next] = publishedBy(await step.handle(WITH_TAIL, new AbortController().signal));
  assert.equal(world.mails.length, 1);
  assert.equal(String(next?.tail), "<p>Zwö!second");
  const { world: other, step: again } = openMailer();
  await again.handle(next as typeof WITH_TAIL, new AbortController().signal);
  assert.match(String(other.mails[0]?.raw), new RegExp(btoa("second")));
});

test("mail finds the one mailer of two that has a connection, through the broker", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  const stop = new AbortController();
  using _ = { [Symbol.dispose]: () => stop.abort() };
  const mailers = [0, 1].map((position) => {
    const admission = openAdmission({
      peers: () => ({ count: 2, position }),
      circuitOf: () => undefined,
      now: () => new Date(),
      lastCall: new AbortController().signal,
    });
    const findIntegration = () => Promise.resolve(integrationOf({ maxConnections: 1 }));
    return openMailer({
      admission,
      integrations: {
        find: findIntegration,
      },
    });
  });
  const logger = openLogger({ service: "test", level: "error", write: () => {} });
  const consuming = mailers.map(({ step }) =>
    bus.consume(step, {
      ...{ consumer: "mailer_transactional", concurrency: 4, signal: stop.signal, logger },
    })
  );
  const count = 30;
  for (let index = 0; index < count; index++) {
    const data = { ...EVENT, messages: [{ ...MESSAGE, index }] };
    await bus.publish({ type: "messages.printed", data });
  }
  const reports = (type: MessageStatusEvent["type"]) =>
    mailers.flatMap(({ world }) => world.statusEvents).filter((statusEvent) =>
      statusEvent.type === type
    )
      .length;
  const sent = () => reports("status.message.sent");
  const returned = () => reports("status.message.returned");
  await until(() => sent() + returned() === count, {
    message: "no mail to be on its way",
  });
  stop.abort();
  await Promise.all(consuming);
  // A mail that reached the other mailer repeatedly is returned: by chance, and rarely.
  assert.ok(sent() > count / 2, `${sent()} sent, ${returned()} returned`);
  assert.ok(mailers.some(({ world }) => world.mails.length === 0), "both have sent");
});

test("sendStep() retries a refused login after a minute, then suspends the integration", async () => {
  const reason = "The SMTP server refused the user name or the password";
  const first = openMailer({ send: refusal("535 5.7.8 no", "auth") });
  await first.run();
  const [reports] = first.world.statusEvents;
  assert.ok(reports?.type === "status.message.deferred");
  assert.equal(reports.data.integrationId, 4, "health is counted by integration");
  assert.deepEqual(first.world.noted, [
    `refused acc_1/4 for 60000 ms: ${reason}`,
    "block acc_1/4",
    "left",
  ]);
  assert.deepEqual(first.world.written.map(({ waitsFor, reason }) => [waitsFor, reason]), [
    ["acc_1/4", reason],
  ]);
  const second = openMailer({
    send: refusal("535 5.7.8 no", "auth"),
    circuits: {
      noteRefusedLogin: () => Promise.resolve(true),
    },
  });
  await second.run();
  assert.deepEqual(second.world.statusEvents.map(({ type }) => type), ["status.message.deferred"]);
  assert.deepEqual(second.world.noted, [
    "block acc_1/4",
    `suspend acc_1/4: ${reason}`,
    "left",
  ]);
  assert.deepEqual(
    second.world.written.map(({ waitsFor, nextAt, reason }) => [waitsFor, nextAt, reason]),
    [["acc_1/4", undefined, reason]],
  );
  const changed = openMailer({
    send: refusal("535 5.7.8 no", "auth"),
    circuits: {
      noteRefusedLogin: () => Promise.resolve(true),
    },
    integrations: {
      suspend: () => Promise.resolve(false),
    },
  });
  await changed.run();
  assert.ok(changed.world.written[0]?.nextAt);
});

test("sendStep() suspends nothing for a login that the server cannot check now", async () => {
  for (const reply of ["503 5.5.1 sequence", "504 5.5.4 mechanism", "454 4.7.0 later"]) {
    const { world, run } = openMailer({ send: refusal(reply, "auth") });
    await run();
    assert.deepEqual(world.noted, ["left"], reply);
    assert.ok(world.written[0]?.nextAt);
  }
});

test("sendStep() judges 530 and 552 at RCPT by their enhanced codes, and suspends nothing", async () => {
  for (const reply of ["530 5.7.1 relaying denied", "530 not here", "552 5.2.2 mailbox full"]) {
    const { world, run } = openMailer({ send: refusal(reply) });
    await run();
    assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.failed"], reply);
    assert.deepEqual(world.noted, ["clear acc_1/4", "left"], reply);
  }
});

test("sendStep() stops an integration whose host is forbidden, and notes nothing of its circuit", async () => {
  const { world, run } = openMailer({
    send: () => Promise.reject(new SmtpFailure("10.0.0.5", { phase: "connect", fault: "host" })),
  });
  await run();
  const { reason } = judgeSmtpFailure(new SmtpFailure("", { phase: "connect", fault: "host" }));
  assert.deepEqual(world.noted, [
    "block acc_1/4",
    `suspend acc_1/4: ${reason}`,
    "left",
  ]);
  assert.equal(world.written[0]?.waitsFor, "acc_1/4");
  assert.doesNotMatch(JSON.stringify(world.written), /10\.0/);
});

test("sendStep() writes a Message-ID for a sender with an international domain", async () => {
  const { world, send } = openMailer();
  await send({ ...EVENT, from: { email: "shop@bücher.example" } });
  assert.match(`${world.mails[0]?.raw}`, /^Message-ID: <[\w.]+@xn--bcher-kva\.example>\r$/m);
});

test("sendStep() notes servers that cannot be reached in their circuits, and no others", async () => {
  const reached = openMailer({ send: refusal("550 5.1.1 no such user") });
  await reached.run();
  assert.deepEqual(reached.world.noted, ["clear acc_1/4", "left"]);
  const away = openMailer({
    send: () => Promise.reject(new SmtpFailure("x", { phase: "connect", fault: "refused" })),
  });
  await away.run();
  assert.deepEqual(away.world.noted, [
    "note acc_1/4: The SMTP server does not answer, or accepts no mail at the moment",
    "left",
  ]);
});

test("sendStep() notes servers that receive the mail and never answer in their circuits", async () => {
  const silent = openMailer({
    send: async ({ onData, onDot }) => {
      onData?.();
      await onDot?.();
      throw new SmtpFailure("x", { phase: "dot", fault: "timeout" });
    },
  });
  await silent.run();
  assert.deepEqual(silent.world.noted, [
    "note acc_1/4: The SMTP server accepts mail but does not reply",
    "left",
  ]);
  assert.equal(silent.world.written[0]?.unknownAttempt, 1);
});

test("sendStep() defers a temporary refusal, and leaves its time to the ledger", async () => {
  const { world, run } = openMailer({ send: refusal("451 4.7.1 later") });
  await run();
  const [statusEvent, ...others] = world.statusEvents;
  const [written] = world.written;
  assert.ok(statusEvent?.type === "status.message.deferred" && written?.nextAt);
  assert.deepEqual(others, []);
  assert.equal(statusEvent.data.nextAt, written.nextAt.toISOString());
  const waitMs = written.nextAt.getTime() - NOW;
  assert.ok(waitMs >= 48_000 && waitMs <= 72_000, `${waitMs} ms`);
  assert.deepEqual(statusEvent.data.reply, {
    code: 451,
    enhanced: "4.7.1",
    response: "451 4.7.1 later",
  });
});

test("sendStep() fails a permanent refusal", async () => {
  const { world, run } = openMailer({ send: refusal("550 5.1.1 no such user") });
  await run();
  const [statusEvent] = world.statusEvents;
  assert.ok(statusEvent?.type === "status.message.failed");
  assert.equal(statusEvent.data.stage, "mailer");
  assert.deepEqual(world.written.map(({ state, reason }) => [state, reason]), [
    ["failed", "The SMTP server refused the recipient address"],
  ]);
});

test("sendStep() fails a message whose integration is gone", async () => {
  const { world, run } = openMailer({
    integrations: {
      find: () => Promise.resolve(null),
    },
  });
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.failed"]);
  assert.equal(world.written[0]?.reason, "The SMTP integration no longer exists");
  assert.deepEqual(world.mails, []);
});

test("sendStep() fails a mail that is too large", async () => {
  const { world, run } = openMailer({ mailLimit: 500 });
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.failed"]);
  assert.match(
    world.written[0]?.reason ?? "",
    /^Cannot compose the mail: .* more than the limit of 500$/,
  );
  assert.deepEqual(world.mails, []);
});

test("sendStep() immediately fails a mail whose address cannot be written", async () => {
  const { world, run } = openMailer();
  const email = `ann@${"ü".repeat(60)}.example`;
  await run({ to: { email } });
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.failed"]);
  assert.match(world.written[0]?.reason ?? "", /it is not one email address$/);
});

test("sendStep() defers the mail of an integration whose password does not open", async () => {
  const { world, run } = openMailer({
    unseal: () => {
      throw new Error("Cannot open secret");
    },
  });
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.deferred"]);
  assert.deepEqual(world.written.map(({ state, reason }) => [state, reason]), [
    ["deferred", "The password or the DKIM key of the SMTP integration could not be opened"],
  ]);
  assert.deepEqual(world.logged, ["Cannot open a secret of an integration"]);
  assert.deepEqual(world.mails, []);
});

test("sendStep() suspends no integration because of a missing master key that others may have", async () => {
  const suspended: string[] = [];
  const unsealing = (error: Error) =>
    openMailer({
      unseal: () => {
        throw error;
      },
      integrations: {
        suspend: ({ _id }) => Promise.resolve(suspended.push(_id) > 0),
      },
    });
  const rotated = unsealing(new MasterKeyMissingError("master key is not configured"));
  await rotated.run();
  assert.deepEqual(rotated.world.statusEvents.map(({ type }) => type), ["status.message.deferred"]);
  assert.deepEqual(suspended, []);
  await unsealing(new Error("it was changed")).run();
  assert.deepEqual(suspended, ["acc_1/4"]);
});

test("sendStep() attaches its PDFs and fetches texts that were too large for the event", async () => {
  const { world, run } = openMailer({
    loadContent: (key) => Promise.resolve(key === "html" ? "<p>From the store</p>" : undefined),
    loadAttachment: (key) =>
      Promise.resolve(key === "pdf" ? encodeAttachment(Buffer.from("%PDF")) : undefined),
  });
  await run({
    html: { key: "html" },
    attachments: [{ key: "pdf", filename: "Invoice.pdf", size: 4 }],
  });
  const raw = world.mails[0]?.raw.toString() ?? "";
  assert.ok(raw.includes(Buffer.from("<p>From the store</p>").toString("base64")));
  assert.ok(raw.includes(Buffer.from("%PDF").toString("base64")));
  assert.match(raw, /filename="?Invoice\.pdf/);
});

test("sendStep() has a message rendered again if its PDF or text is gone", async () => {
  const lost = [
    { attachments: [{ key: "lost", filename: "a.pdf", size: 1 }] },
    { html: { key: "lost" } },
    { text: { key: "lost" } },
  ];
  for (const part of lost) {
    const { world, run } = openMailer();
    const [again] = publishedBy(await run({ ...part, attempt: 2 }));
    assert.ok(again?.type === "send.resumed");
    assert.deepEqual(again.data.again, [{ index: 3, attempt: 2 }]);
    assert.equal(again.data.sendId, sendId);
    assert.deepEqual([world.mails, world.written], [[], []]);
  }
});

test("sendStep() has a message rendered again in the version of a dispatch, not of its own event", async () => {
  const { step } = openMailer();
  const { signal } = new AbortController();
  for (const [v, expected] of [[2, 2], [3, 3], [4, 3]] as const) {
    const data = { ...EVENT, v, messages: [{ ...MESSAGE, html: { key: "lost" } }] };
    const [again] = publishedBy(await step.handle({ type: "messages.printed", data }, signal));
    assert.equal(again?.type === "send.resumed" && again.data.v, expected);
  }
});

test("sendStep() retries writing an outcome throughout an outage of the database", async () => {
  const { world, run } = openMailer();
  let tries = 0;
  world.ledger.intercept = ({ op }) => {
    if (op !== "writeOutcome") return undefined;
    tries++;
    if (tries === 1) return { type: "unsure" };
    if (tries === 2) throw new Error("nobody foresaw it");
    return undefined;
  };
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.sent"]);
  assert.equal(tries, 3);
  assert.equal(world.mails.length, 1);
});

test("sendStep() records the server's acceptance of a mail recorded as unknown meanwhile", async () => {
  const { world, run } = openMailer({
    send: async ({ onData, onDot }) => {
      onData?.();
      await onDot?.();
      const ledger = world.ledger.registers.ledgerOf({ messageId: ID } as never);
      const outcome = { state: "deferred" as const, unknownAttempt: 1, at: new Date(), lines: [] };
      await ledger.perform({ op: "writeOutcome", n: 1, outcome });
      return ACCEPTED_REPLY;
    },
  });
  await run();
  assert.deepEqual(world.statusEvents.map(({ type }) => type), ["status.message.sent"]);
  assert.deepEqual(world.written.map(({ state, attempt, sentBy }) => [state, attempt, sentBy]), [
    ["deferred", 1, undefined],
    ["sent", 2, 1],
  ]);
});

test("sendStep() waits for an unavailable database before it begins", async () => {
  const error = Object.assign(new Error("away"), { name: "MongoServerSelectionError" });
  const { world, run } = openMailer({
    integrations: {
      find: () => Promise.reject(error),
    },
  });
  assert.deepEqual(await run(), { type: "retry", reason: error, outage: true });
  assert.equal(world.ledger.inserted.size, 0);
});

test("sendStep() reports a failure of the pipeline when it gives up", () => {
  const { publish } = openMailer().step.giveUp(
    { type: "messages.printed", data: { ...EVENT, messages: [{ ...MESSAGE, attempt: 2 }] } },
    "given up after 5 tries",
  );
  const [statusEvent] = publish.flatMap(statusEventsIn);
  assert.ok(statusEvent?.type === "status.message.failed");
  const { stage, reason, attempt } = statusEvent.data;
  assert.deepEqual([stage, reason, attempt], ["pipeline", "given up after 5 tries", 2]);
});

test("sendStep() signs the mail, with the same bytes and hash on every attempt", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const dkim = { domain: "example.com", selector: "ph", privateKey };
  const unseal = () => ({
    ...{ key: "1", host: "h", port: 25, tls: "none" as const },
    auth: null,
    dkim,
  });
  const mailers = [openMailer({ unseal }), openMailer({ unseal })];
  for (const { run } of mailers) await run();
  const [first, second] = mailers.map(({ world }) => world.mails[0]);
  assert.match(first?.raw.toString() ?? "", /^DKIM-Signature: v=1; a=rsa-sha256; .*d=example.com;/);
  assert.ok(first && second?.raw.equals(first.raw));
  const hash = createHash("sha256").update(first.raw).digest("hex");
  assert.deepEqual(mailers.map(({ world }) => world.written[0]?.mimeHash), [hash, hash]);
});

test("sendStep() sends the next mail to the server before the ledger has the outcome", async () => {
  const { world, run } = openMailer();
  world.ledger.intercept = ({ op }) => {
    if (op === "writeOutcome") world.noted.push("outcome");
    return undefined;
  };
  await run();
  assert.deepEqual(world.noted.slice(0, 3), ["left", "clear acc_1/4", "outcome"]);
});

/** Opens a mailer that has integration 5, too. */
function openPair(changes: Changes<SendDeps>) {
  return openMailer({
    integrations: {
      find: (_, id) => Promise.resolve(integrationOf({ _id: `acc_1/${id}`, id })),
    },
    ...changes,
  });
}

test("sendStep() records that a server was not offered the mail, and no more than that", async () => {
  const cases = [
    ["connect", "timeout", 4],
    ["tls", "tls", 4],
    ["auth", "lost", 4],
    ["rcpt", "lost", undefined],
    ["body", "stalled", undefined],
    ["connect", "aborted", undefined],
  ] as const;
  for (const [phase, fault, unreached] of cases) {
    const { world, run } = openMailer({
      send: () => Promise.reject(new SmtpFailure("away", { phase, fault })),
    });
    await run();
    const [written] = world.written;
    assert.deepEqual([written?.state, written?.unreached], ["deferred", unreached], phase);
  }
});

test("sendStep() leaves it to the scheduler to fail an old mail of an integration that takes none now", async () => {
  const away = new SmtpFailure("away", { phase: "connect", fault: "timeout" });
  const busy = new SmtpFailure("later", { phase: "rcpt", fault: "lost" });
  const cases = [[away, true, "deferred"], [away, false, "failed"], [
    busy,
    true,
    "failed",
  ]] as const;
  for (const [error, isOpen, state] of cases) {
    const { world, run } = openMailer({
      circuitStates: { note: () => Promise.resolve(isOpen) },
      send: () => Promise.reject(error),
    });
    world.now = Date.parse(ACCEPTED) + 50 * 3_600_000;
    await run();
    assert.deepEqual(world.written.map((one) => one.state), [state]);
  }
});

test("sendStep() stops an integration whose login is refused, however old the mail is", async () => {
  const response = "535 5.7.8 no";
  const { world, run } = openMailer({ send: refusal(response, "auth") });
  world.now = Date.parse(ACCEPTED) + 50 * 3_600_000;
  await run();
  assert.match(world.noted.join(), /^refused acc_1\/4 .*block acc_1\/4/);
  assert.partialDeepStrictEqual(world.written, [{ state: "deferred", waitsFor: "acc_1/4" }]);
});

test("sendStep() sends in place of another integration, whose message it stays", async () => {
  const { world, send } = openPair({});
  await send({ ...EVENT, integrationId: 5, insteadOf: 4 });
  const [written] = world.written;
  assert.equal(written?.state, "sent");
  assert.deepEqual(written?.lines.map(({ integrationId }) => integrationId).slice(-2), [5, 5]);
  assert.deepEqual(world.statusEvents.map(({ data }) => data.integrationId), [5]);
});

test("sendStep() holds what a fallback leaves unknown for a person", async () => {
  const { world, send } = openPair({
    send: async (mail) => {
      mail.onData?.();
      await mail.onDot?.();
      throw new SmtpFailure("lost", { phase: "dot", fault: "lost" });
    },
  });
  await send({ ...EVENT, integrationId: 5, insteadOf: 4 });
  await send({ ...EVENT, messages: [{ ...MESSAGE, index: 4 }] });
  assert.deepEqual(world.written.map(({ state }) => state), ["unknown", "deferred"]);
});

test("sendStep() keeps the mail of a fallback for as long as the send's own integration would", async () => {
  const hour = 3_600_000;
  const openAt = (age: number, own: number) => {
    const retryForMs = (id: number) => id === 4 ? own : 49 * hour - own;
    const opened = openPair({
      integrations: {
        find: (_, id) =>
          Promise.resolve(integrationOf({ _id: `acc_1/${id}`, id, retryForMs: retryForMs(id) })),
      },
      send: refusal("451 4.3.0 Try later"),
    });
    opened.world.now = Date.parse(ACCEPTED) + age;
    return opened;
  };
  const cases = [
    [48 * hour, "status.message.deferred"],
    [hour, "status.message.failed"],
  ] as const;
  for (const [own, type] of cases) {
    const { world, send } = openAt(2 * hour, own);
    await send({ ...EVENT, integrationId: 5, insteadOf: 4 });
    assert.deepEqual(world.statusEvents.map((one) => one.type), [type]);
  }
});
