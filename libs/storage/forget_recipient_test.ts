import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Collection, Db } from "mongodb";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { FORGOTTEN_ADDRESS, messageIdOf, newSendId, type Send } from "@posthaste/contracts";
import { advance, replied } from "@posthaste/delivery";
import { type DeliveryLedgers, deliveryLedgers } from "./delivery_ledger.ts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { AttemptOutcome } from "./stored_register.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

const now = new Date("2026-06-01T00:00:00Z");
const ERASE = { now, audit: "erase" } as const;

/** Returns a send to Ann and to others, with her data in every possible place. */
function sendToAnn(accountId: string, others: string[]) {
  return testSend({
    _id: newSendId(accountId, now),
    accountId,
    request: {
      from: { email: "shop@example.com" },
      variables: { season: "ann-canary winter" },
      to: [
        {
          email: "Ann.Canary@example.com",
          name: "Ann Canary",
          variables: { secret: "ann-canary secret" },
          attachments: [{ id: 3, filename: "ann-canary.pdf", variables: { iban: "ann-canary" } }],
        },
        ...others.map((email) => ({ email, variables: { n: email } })),
      ],
    },
  });
}

/** Writes that the server took Ann's mail at the first attempt, as a mailer does that learns of it late. */
async function learnOfSuccess(
  { _id: sendId, accountId }: Pick<Send, "_id" | "accountId">,
  { ledgerOf }: Pick<DeliveryLedgers, "ledgerOf">,
): Promise<void> {
  const reply = { code: 250, response: "Ok <Ann.Canary@example.com> queued" };
  const lines = [{ at: now, type: "sent" as const, attempt: 1, detail: reply.response }];
  const outcome: AttemptOutcome = { state: "sent", at: now, reply, lines };
  const message = {
    ...{ messageId: messageIdOf(sendId, 0), sendId, accountId, index: 0 },
    ...{ integration: `${accountId}/1`, email: "Ann.Canary@example.com", acceptedAt: now },
  };
  await advance(replied({ n: 1 }, { outcome, certainty: "accepted" }), ledgerOf(message));
}

/** Returns all contents of the database, as text. */
async function everything(): Promise<string> {
  const names = await opened.db.listCollections({}, { nameOnly: true }).toArray();
  const all = await Promise.all(
    names.filter(({ name }) => !name.startsWith("system."))
      .map(({ name }) => opened.db.collection(name).find().toArray()),
  );
  return JSON.stringify(all);
}

test("forgetRecipient() leaves nothing of a person in any collection, and keeps the others' mail", async () => {
  const { store } = opened;
  const accountId = "acc_forget";
  const sent = sendToAnn(accountId, []);
  await store.sends.accept(sent);
  await takeAttempt(store, { messageId: messageIdOf(sent._id, 0), attempt: 1 });
  await endAttempt(store, "sent", {
    messageId: messageIdOf(sent._id, 0),
    attempt: 1,
    at: now,
    reply: { code: 250, response: "Ok <Ann.Canary@example.com> queued" },
  });
  const open = sendToAnn(accountId, ["bob@example.com"]);
  await store.sends.accept(open);
  await store.audit.note({
    ...{ accountId, at: now, userId: null, userEmail: null, action: "message.resent" },
    ...{ target: "message to Ann.Canary@example.com", details: { to: "ann.canary@example.com" } },
  });
  assert.match(await everything(), /ann.canary/i);

  const done = await store.retention.forgetRecipient(accountId, "Ann.Canary@example.com", ERASE);
  assert.deepEqual(done, {
    messages: 2,
    canceled: 1,
    copies: 0,
    left: [],
    auditLines: 1,
    auditNext: null,
    invitations: 0,
    isCut: false,
  });
  // The other recipient still needs the shared variables.
  const shared = (await everything()).replaceAll("ann-canary winter", "");
  assert.doesNotMatch(shared, /ann.canary/i);

  const view = await store.messages.find(accountId, messageIdOf(sent._id, 0));
  assert.equal(view?.state, "sent");
  assert.equal(view?.email, FORGOTTEN_ADDRESS);
  assert.deepEqual(view?.reply, { code: 250 });
  assert.equal((await store.messages.find(accountId, messageIdOf(open._id, 0)))?.state, "canceled");
  const [, bob] = (await store.sends.load(open._id))?.request.to ?? [];
  assert.deepEqual(bob, { email: "bob@example.com", variables: { n: "bob@example.com" } });
  assert.equal(await store.sends.load(sent._id), null, "nothing can be made of it again");
});

test("forgetRecipient() leaves a message that is being sent, and forgets it when that has ended", async () => {
  const { store } = opened;
  const accountId = "acc_busy";
  const send = sendToAnn(accountId, ["bob@example.com"]);
  await store.sends.accept(send);
  await takeAttempt(store, { messageId: messageIdOf(send._id, 0), attempt: 1 });
  const messageId = messageIdOf(send._id, 0);
  const first = await store.retention.forgetRecipient(accountId, "Ann.Canary@example.com", ERASE);
  assert.deepEqual([first.messages, first.left], [0, [messageId]]);
  await endAttempt(store, "failed", {
    messageId,
    attempt: 1,
    at: now,
    reason: "no <Ann.Canary@example.com>",
  });
  const again = await store.retention.forgetRecipient(accountId, "Ann.Canary@example.com", ERASE);
  assert.deepEqual([again.messages, again.left], [1, []]);
  assert.equal(
    await store.messages.retry(accountId, messageId, { now }),
    null,
    "nobody is there to send to",
  );
});

test("what a server says later of a forgotten person's mail is not stored", async () => {
  const { store } = opened;
  const accountId = "acc_late";
  for (const state of ["failed", "unknown"] as const) {
    const send = sendToAnn(accountId, []);
    await store.sends.accept(send);
    const messageId = messageIdOf(send._id, 0);
    await takeAttempt(store, { messageId, attempt: 1 });
    await endAttempt(store, state, { messageId, attempt: 1, at: now });
    const done = await store.retention.forgetRecipient(accountId, "Ann.Canary@example.com", ERASE);
    assert.deepEqual([done.messages, done.left], [1, []]);

    await learnOfSuccess(send, store.registers);
    const view = await store.messages.find(accountId, messageId);
    assert.deepEqual([view?.state, view?.reply, view?.email], [
      ...["sent", { code: 250 }, FORGOTTEN_ADDRESS],
    ]);
    assert.doesNotMatch(await everything(), new RegExp(`${messageId}[^}]{0,400}ann.canary`, "i"));
  }
});

test("what a server says while a person is forgotten is not stored", async () => {
  const { store, db } = opened;
  const accountId = "acc_meanwhile";
  for (const state of ["failed", "unknown"] as const) {
    // She is forgotten before the first, second, third command of the ledger, until there are no more.
    let forgotten = 1;
    for (let command = 0; forgotten === 1; command++) {
      const send = sendToAnn(accountId, []);
      await store.sends.accept(send);
      const messageId = messageIdOf(send._id, 0);
      await takeAttempt(store, { messageId, attempt: 1 });
      await endAttempt(store, state, { messageId, attempt: 1, at: now });
      forgotten = 0;
      const meanwhile = beforeCommand(db, command, async () => {
        const { forgetRecipient } = store.retention;
        const { messages } = await forgetRecipient(accountId, "Ann.Canary@example.com", ERASE);
        forgotten += messages;
      });
      await learnOfSuccess(send, deliveryLedgers(meanwhile, () => now));
      if (forgotten === 0) {
        assert.ok(command > 1, "the ledger had commands");
        await store.retention.forgetRecipient(accountId, "Ann.Canary@example.com", ERASE);
      }
      const view = await store.messages.find(accountId, messageId);
      assert.deepEqual([view?.state, view?.reply], ["sent", { code: 250 }]);
      const stored = new RegExp(`${messageId}[^}]{0,400}ann.canary`, "i");
      assert.doesNotMatch(await everything(), stored, `${state}, before command ${command}`);
    }
  }
});

/** Returns a database that does something before one of its commands, counted from 0. */
function beforeCommand(db: Db, command: number, act: () => Promise<void>): Db {
  const WRITES = new Set<PropertyKey>(["updateOne", "bulkWrite", "insertOne", "insertMany"]);
  let commands = 0;
  const watched = (collection: Collection) =>
    new Proxy(collection, {
      get(target, key) {
        const value = Reflect.get(target, key, target);
        if (!WRITES.has(key)) return value;
        return async (...args: unknown[]) => {
          if (commands++ === command) await act();
          return await value.apply(target, args);
        };
      },
    });
  return new Proxy(db, {
    get: (target, key) =>
      key === "collection"
        ? (name: string) => watched(target.collection(name))
        : Reflect.get(target, key, target),
  });
}

test("forgetRecipient() touches no other account", async () => {
  const { store } = opened;
  const send = sendToAnn("acc_other", []);
  await store.sends.accept(send);
  await store.retention.forgetRecipient("acc_empty", "Ann.Canary@example.com", ERASE);
  assert.equal((await store.messages.find("acc_other", messageIdOf(send._id, 0)))?.state, "queued");
});

test("forgetRecipient() removes a person from the copies of others' mail, and from refused copies", async () => {
  const { store } = opened;
  const accountId = "acc_copies";
  const ann = { email: "Ann.Copied@example.com", name: "Ann Copied" };
  const request = {
    from: { email: "shop@example.com" },
    to: [{ email: "bob@example.com" }, { email: "cy@example.com", bcc: [ann] }],
    cc: [ann, { email: "dan@example.com" }],
  };
  const send = testSend({ _id: newSendId(accountId, now), accountId, request });
  await store.sends.accept(send);
  const messageId = messageIdOf(send._id, 0);
  await endAttempt(store, "sent", {
    ...{ messageId, attempt: 1, at: now },
    copiesRefused: [{ email: ann.email, reply: { code: 550, response: `550 ${ann.email}` } }],
  });
  const done = await store.retention.forgetRecipient(accountId, "ann.copied@example.com", ERASE);
  const other = messageIdOf(send._id, 1);
  assert.deepEqual([done.messages, done.copies, done.left], [0, 1, [other]]);
  assert.doesNotMatch(await everything(), /ann.copied/i);
  const loaded = await store.sends.load(send._id);
  assert.deepEqual(loaded?.request.cc, [{ email: "dan@example.com" }]);
  assert.deepEqual((await store.messages.find(accountId, messageId))?.copies, ["dan@example.com"]);
  assert.deepEqual((await store.retention.forgetRecipient(accountId, ann.email, ERASE)).left, []);
});

test("forgetRecipient() finds copies of a message that waited before its first attempt", async () => {
  const { store } = opened;
  const accountId = "acc_late_copies";
  const cc = [{ email: "ann.later@example.com" }];
  const request = { from: { email: "shop@example.com" }, to: [{ email: "bob@example.com" }], cc };
  const send = testSend({ _id: newSendId(accountId, now), accountId, request });
  await store.sends.accept(send);
  const messageId = messageIdOf(send._id, 0);
  const [identity] = (await store.sends.identify([messageId])).values();
  assert.ok(identity);
  const waits = { attempt: 0, now, nextAt: now, reason: "no image yet" };
  await store.waiting.postponeMessage({ ...identity, ...waits });
  await endAttempt(store, "sent", {
    ...{ messageId, attempt: 1, at: now },
    copiesRefused: cc.map(({ email }) => ({ email, reply: { code: 550 } })),
  });
  await store.retention.forgetRecipient(accountId, "ann.later@example.com", ERASE);
  assert.doesNotMatch(await everything(), /ann.later/i);
});

test("forgetRecipient() only counts lines of the audit log where it may not change them", async () => {
  const { store } = opened;
  const accountId = "acc_counted";
  const target = "message to Ann.Counted@example.com";
  await store.audit.note({
    ...{ accountId, at: now, userId: null, userEmail: null, action: "message.resent", target },
    details: {},
  });
  const count = { now, audit: "count" } as const;
  for (let again = 0; again < 2; again++) {
    const done = await store.retention.forgetRecipient(accountId, "ann.counted@example.com", count);
    assert.equal(done.auditLines, 1);
  }
  assert.equal((await store.audit.list(accountId, { limit: 1 }))[0]?.target, target);
});

test("forgetRecipient() ends after its time, and repeated calls complete the work", async () => {
  const { store } = opened;
  const accountId = "acc_budget";
  const email = "ann.budget@example.com";
  const to = Array.from({ length: 60 }, () => ({ email, cc: [{ email: "bo@example.com" }] }));
  const request = { from: { email: "shop@example.com" }, to };
  for (const messageCount of [60, 60, 1]) {
    await store.sends.accept(testSend({
      ...{ _id: newSendId(accountId, now), accountId, messageCount },
      request: { ...request, to: to.slice(0, messageCount) },
    }));
  }
  const calls = [];
  do {
    calls.push(
      await store.retention.forgetRecipient(accountId, email, { ...ERASE, budgetMs: 0 }),
    );
  } while (calls.at(-1)?.isCut && calls.length < 20);
  assert.ok(calls.length > 2 && calls.length < 20, String(calls.length));
  assert.equal(calls.reduce((sum, { messages }) => sum + messages, 0), 121);
  assert.deepEqual(calls.at(-1)?.left, []);
  assert.doesNotMatch(await everything(), /ann.budget/i);
});

test("forgetRecipient() reads the audit log within its time, and goes on where it stopped", async () => {
  const { store, db } = opened;
  const accountId = "acc_long_log";
  const noted = { at: now, userId: null, userEmail: null, action: "message.resent", details: {} };
  for (let n = 0; n < 6; n++) {
    const target = n % 2 === 0 ? "message to ann.log@example.com" : "message to bob@example.com";
    await store.audit.note({ ...noted, accountId, target });
  }
  await store.audit.note({ ...noted, accountId: "acc_beyond", target: "to ann.log@example.com" });
  const forget = (options: { audit: "count" | "erase"; budgetMs: number; auditAfter?: string }) =>
    store.retention.forgetRecipient(accountId, "ann.log@example.com", { now, ...options });
  for (const audit of ["count", "erase"] as const) {
    const lines: number[] = [];
    let auditAfter: string | undefined;
    for (let calls = 0; calls < 10; calls++) {
      const done = await forget({
        ...{ audit, budgetMs: 0 },
        ...(auditAfter === undefined ? {} : { auditAfter }),
      });
      lines.push(done.auditLines);
      assert.equal(done.isCut, done.auditNext !== null);
      if (done.auditNext === null) break;
      auditAfter = done.auditNext;
    }
    // One line in each call, and a last call that finds the end.
    assert.equal(lines.length, 7, audit);
    assert.deepEqual(lines.toSorted(), [0, 0, 0, 0, 1, 1, 1], audit);
  }
  const left = await db.collection("audit").find({ accountId }).toArray();
  assert.doesNotMatch(JSON.stringify(left), /ann.log/);
  assert.equal((await store.audit.check(accountId)).fault, undefined);
  const whole = await forget({ audit: "count", budgetMs: 60_000 });
  assert.deepEqual([whole.auditLines, whole.auditNext, whole.isCut], [0, null, false]);
  const beyond = await db.collection("audit").find({ accountId: "acc_beyond" }).toArray();
  assert.match(JSON.stringify(beyond), /ann.log/);
});

test("forgetRecipient() reads the audit log in the order of an index, from where it goes on", async () => {
  const { db } = opened;
  const filter = { accountId: "acc_long_log", _id: { $gt: "aud_0" } };
  const plan = JSON.stringify(
    await db.collection<{ _id: string }>("audit").find(filter).sort({ _id: 1 })
      .explain("queryPlanner"),
  );
  assert.match(plan, /"indexName":"accountId_1__id_-1"/);
  assert.doesNotMatch(plan, /"stage":"SORT"|"stage":"COLLSCAN"/);
});
