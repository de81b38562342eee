import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { messageIdOf, type MessageState, newSendId, type Send } from "@posthaste/contracts";
import type { Document } from "mongodb";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { MessageFilter } from "./message_filter.ts";
import { INDEXED_STATES } from "./message_search.ts";
import type { Store } from "./store.ts";
import { newSubjectKey } from "./subject_box.ts";

const ACCOUNT = "acc_own";
const DAY = (day: number, second = 0) => new Date(Date.UTC(2026, 0, day, 12, 0, second));

let opened: TestStore;
let store: Store;
/** For each day of January, one send to `day` recipients, oldest first. */
const sends: Send[] = [];

async function end(send: Send, index: number, state: MessageState) {
  const messageId = messageIdOf(send._id, index);
  await takeAttempt(store, { messageId: messageIdOf(send._id, index), attempt: 1 });
  const outcome = { messageId, attempt: 1, at: send.acceptedAt };
  const reply = { code: 550, enhanced: "5.1.1", response: `550 5.1.1 No such user ${index}` };
  if (state === "sent") {
    const response = "250 2.0.0 Ok: queued as 4XyZ";
    await endAttempt(store, "sent", { ...outcome, reply: { code: 250, response } });
  } else if (state === "failed") {
    await endAttempt(store, "failed", {
      ...outcome,
      reply,
      reason: "The SMTP server refused the recipient",
    });
  } else if (state === "deferred") {
    await endAttempt(store, "deferred", { ...outcome, reason: "Busy (a+b)", nextAt: DAY(20) });
  }
}

before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
  for (let day = 1; day <= 6; day++) {
    const acceptedAt = DAY(day);
    const send = testSend({
      accountId: ACCOUNT,
      acceptedAt,
      integrationId: day % 2,
      template: { id: day % 3, version: 1 },
      request: {
        from: { email: "shop@example.com" },
        to: Array.from({ length: day }, (_, index) => ({ email: `r${index}@day${day}.example` })),
      },
    });
    sends.push(send);
    await store.sends.accept(send);
    // Messages of other accounts are never found.
    const other = { ...send, _id: newSendId("acc_other", acceptedAt), accountId: "acc_other" };
    await store.sends.accept(other);
    await end(other, 0, "failed");
  }
  const [, second, third, fourth, fifth] = sends as [Send, Send, Send, Send, Send];
  await end(second, 0, "sent");
  await end(second, 1, "failed");
  await end(third, 2, "failed");
  await end(fourth, 0, "deferred");
  for (let index = 0; index < 5; index++) await end(fifth, index, "sent");
  await store.sends.settle([fifth], DAY(6));
});
after(() => opened[Symbol.asyncDispose]());

/** Returns the found messages as `<day>.<index>`, over pages of a size. */
async function names(filter: MessageFilter, limit = 4): Promise<string[]> {
  const found: string[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await store.messages.search(ACCOUNT, filter, { limit, before });
    assert.equal(page.isCut, false);
    assert.ok(page.messages.length <= limit);
    found.push(
      ...page.messages.map(({ sendId, index }) =>
        `${1 + sends.findIndex(({ _id }) => _id === sendId)}.${index}`
      ),
    );
    if (page.next === null) return found;
    before = page.next;
  }
}

test("searchMessages() finds all messages, newest first, also those without a document", async () => {
  const all = sends.toReversed().flatMap((_, position) => {
    const day = 6 - position;
    return Array.from({ length: day }, (_, index) => `${day}.${day - 1 - index}`);
  });
  for (const limit of [1, 4, 21, 100]) assert.deepEqual(await names({}, limit), all);
  const { messages: [newest] } = await store.messages.search(ACCOUNT, {}, { limit: 1 });
  assert.equal(newest?.state, "queued");
  assert.equal(newest?.email, "r5@day6.example");
  assert.deepEqual(newest?.send.template, { id: 0, version: 1 });
});

test("searchMessages() finds by state", async () => {
  assert.deepEqual(await names({ states: ["failed"] }), ["3.2", "2.1"]);
  assert.deepEqual(await names({ states: ["failed", "deferred"] }, 1), ["4.0", "3.2", "2.1"]);
  assert.deepEqual(await names({ states: ["sent"] }), ["5.4", "5.3", "5.2", "5.1", "5.0", "2.0"]);
  assert.equal((await names({ states: ["queued"] })).length, 21 - 9);
  assert.equal((await names({ states: ["queued", "failed"] })).length, 21 - 7);
  assert.deepEqual(await names({ states: ["unknown"] }), []);
});

test("searchMessages() finds by template and integration", async () => {
  assert.deepEqual(await names({ templateId: 2, states: ["sent", "failed"] }), [
    ...["5.4", "5.3", "5.2", "5.1", "5.0"],
    ...["2.1", "2.0"],
  ]);
  assert.deepEqual(await names({ templateId: 2, states: ["failed"] }), ["2.1"]);
  assert.deepEqual(await names({ integrationId: 1, states: ["failed"] }), ["3.2"]);
  assert.equal((await names({ integrationId: 1 })).length, 1 + 3 + 5);
});

test("searchMessages() finds by recipient, exactly and by the beginning of the address", async () => {
  const by = (text: string, isPrefix: boolean) => names({ email: { text, isPrefix } });
  assert.deepEqual(await by("r1@day2.example", false), ["2.1"]);
  assert.deepEqual(await by("r1@day2", false), []);
  assert.deepEqual(await by("r1@day", true), ["6.1", "5.1", "4.1", "3.1", "2.1"]);
  assert.deepEqual(await by("r1@day2.exampleX", true), []);
});

test("searchMessages() finds an address in lower case in any spelling, also in one send", async () => {
  for (const text of ["R1@Day2.Example", "r1@DAY2.EXAMPLE"]) {
    assert.deepEqual(await names({ email: { text, isPrefix: false } }), ["2.1"], text);
  }
  assert.deepEqual(await names({ email: { text: "R1@Day", isPrefix: true } }), [
    "6.1",
    "5.1",
    "4.1",
    "3.1",
    "2.1",
  ]);
  const sendId = sends[4]?._id;
  assert.deepEqual(await names({ sendId, email: { text: "R1@", isPrefix: true } }), ["5.1"]);
});

test("searchMessages() finds by time of acceptance", async () => {
  assert.deepEqual(await names({ from: DAY(2), until: DAY(3) }), ["2.1", "2.0"]);
  assert.deepEqual(await names({ states: ["failed"], from: DAY(3) }), ["3.2"]);
  assert.deepEqual(await names({ states: ["failed"], until: DAY(3) }), ["2.1"]);
  const email = { text: "r", isPrefix: true };
  assert.deepEqual(await names({ email, until: DAY(3) }), ["2.1", "2.0", "1.0"]);
});

test("searchMessages() finds by the server's reply, and by the exact cause", async () => {
  assert.equal((await names({ text: "QUEUED AS 4xyz" })).length, 6);
  assert.deepEqual(await names({ text: "no such user 2" }), ["3.2"]);
  assert.deepEqual(await names({ text: "(a+b)", states: ["deferred"] }), ["4.0"]);
  const because = { reason: "The SMTP server refused the recipient", code: 550 };
  const find = (enhanced: string | null) =>
    names({ states: ["failed"], because: { ...because, enhanced } });
  assert.deepEqual(await find("5.1.1"), ["3.2", "2.1"]);
  assert.deepEqual(await find(null), []);
});

test("searchMessages() finds within one send of the account", async () => {
  const sendId = sends[1]?._id ?? "";
  assert.deepEqual(await names({ sendId }, 1), ["2.1", "2.0"]);
  assert.deepEqual(await names({ sendId, states: ["failed"] }), ["2.1"]);
  assert.deepEqual(await names({ sendId, from: DAY(2), until: DAY(3) }), ["2.1", "2.0"]);
  assert.deepEqual(await names({ sendId, from: DAY(3) }), []);
  assert.deepEqual(await names({ sendId, until: DAY(2) }), []);
  const foreign = await store.messages.search("acc_other", { sendId }, { limit: 9 });
  assert.deepEqual(foreign.messages, []);
});

test("searchMessages() shows whose mail has PDFs, also without an outcome", async () => {
  const accountId = "acc_pdfs";
  const attached = async (pdfs: number[]) => {
    const to = pdfs.map((count, index) => ({
      email: `r${index}@pdfs.example`,
      ...(count < 0 ? {} : { attachments: Array.from({ length: count }, () => ({ id: 3 })) }),
    }));
    const request = { from: { email: "shop@example.com" }, to };
    const send = testSend({ accountId, request });
    await store.sends.accept(send);
    const { messages } = await store.messages.search(accountId, { sendId: send._id }, { limit: 9 });
    const one = await store.messages.findWithHead(accountId, messageIdOf(send._id, 1));
    assert.equal(one?.hasPdfs, pdfs[1] !== undefined && pdfs[1] > 0);
    const stored = await store.sends.find(accountId, send._id);
    assert.ok(!("pdfs" in (stored ?? {})), "it is no field of a send");
    return messages.toReversed().map(({ hasPdfs }) => hasPdfs);
  };
  assert.deepEqual(await attached([1, 2]), [true, true]);
  assert.deepEqual(await attached([-1, 0]), [false, false]);
  assert.deepEqual(await attached([0, 1, -1]), [false, true, false]);
});

test("searchMessages() shows the copies that a mail went without", async () => {
  const send = testSend({ accountId: "acc_copies" });
  await store.sends.accept(send);
  const attempt = { messageId: messageIdOf(send._id, 0), attempt: 1 };
  const copiesRefused = [{ email: "cc@example.net", reply: { code: 550 } }];
  await takeAttempt(store, attempt);
  await endAttempt(store, "sent", { ...attempt, at: send.acceptedAt, copiesRefused });
  const { messages: [found] } = await store.messages.search("acc_copies", {}, { limit: 1 });
  assert.deepEqual(found?.copiesRefused, copiesRefused);
});

/** Accepts a send to some addresses whose mails have subjects; those without one are not sent. */
async function withSubjects(accountId: string, mails: [email: string, subject?: string][]) {
  const to = mails.map(([email]) => ({ email }));
  const request = { from: { email: "shop@example.com" }, to, variables: { a: 1 } };
  const given = { accountId, request, subjectKey: newSubjectKey() };
  const send = testSend(given);
  await store.sends.accept(send);
  for (const [index, [, subject]] of mails.entries()) {
    if (subject === undefined) continue;
    const attempt = { messageId: messageIdOf(send._id, index), attempt: 1, subject };
    await takeAttempt(store, attempt);
    await endAttempt(store, "sent", { ...attempt, at: send.acceptedAt });
  }
  return send;
}

test("searchMessages() finds any part of an address, a subject or an id", async () => {
  const accountId = "acc_parts";
  const send = await withSubjects(accountId, [
    ["ann@one.example", "Your Invoice 42"],
    ["bob@two.example", "Grüße aus KÖLN"],
    ["invoice@three.example"],
  ]);
  const by = async (part: string, more: MessageFilter = {}) => {
    const found = await store.messages.search(accountId, { part, ...more }, { limit: 9 });
    return found.messages.map(({ index }) => index);
  };
  assert.deepEqual(await by("INVOICE"), [2, 0]);
  assert.deepEqual(await by("köln"), [1]);
  assert.deepEqual(await by("Two.exam"), [1]);
  assert.deepEqual(await by("invoice", { states: ["sent"] }), [0]);
  assert.deepEqual(await by(messageIdOf(send._id, 1).slice(-10).toUpperCase()), [1]);
  assert.deepEqual(await by(send._id.slice(4)), [2, 1, 0]);
  assert.deepEqual(await by(send._id.slice(4, 8)), [], "so little of an id is in others, too");
  assert.deepEqual(await by("no such part"), []);
  const { messages } = await store.messages.search(accountId, {}, { limit: 9 });
  assert.deepEqual(messages.map(({ subject }) => subject), [
    ...[null, "Grüße aus KÖLN", "Your Invoice 42"],
  ]);
});

test("nobody reads a subject once the content of its send is removed, and the messages are not written", async () => {
  const accountId = "acc_removed";
  const send = await withSubjects(accountId, [["ann@one.example", "Canary 1"]]);
  const stored = () => opened.db.collection<Document>("messages").findOne({ accountId });
  const before = await stored();
  assert.ok(before?.["sealedSubject"]);
  assert.ok(!JSON.stringify(before).includes("Canary"));
  const now = DAY(20);
  await store.sends.settle([send], now);
  await store.retention.removeContents({ accountId, before: DAY(21), limit: 9, now });
  const { messages } = await store.messages.search(accountId, {}, { limit: 9 });
  assert.deepEqual(messages.map(({ subject }) => subject), [null]);
  const searched = await store.messages.search(accountId, { part: "canary" }, { limit: 9 });
  assert.deepEqual(searched.messages, []);
  assert.deepEqual(await stored(), before);
  assert.equal((await store.sends.find(accountId, send._id))?.subjectKey, undefined);
});

test("a forgotten recipient's subject goes, and that of the others stays", async () => {
  const accountId = "acc_forgotten";
  await withSubjects(accountId, [["ann@one.example", "For Ann"], ["bob@two.example", "For Bob"]]);
  const now = DAY(20);
  await store.retention.forgetRecipient(accountId, "ann@one.example", { audit: "count", now });
  const { messages } = await store.messages.search(accountId, {}, { limit: 9 });
  assert.deepEqual(messages.map(({ subject }) => subject), ["For Bob", null]);
  const kept = { accountId, sealedSubject: { $exists: true } };
  assert.equal(await opened.db.collection("messages").countDocuments(kept), 1);
});

test("a late answer of the server brings no forgotten subject back", async () => {
  const accountId = "acc_late";
  const send = await withSubjects(accountId, [["ann@one.example"], ["bob@two.example"]]);
  const messageId = messageIdOf(send._id, 0);
  const at = send.acceptedAt;
  await takeAttempt(store, { messageId, attempt: 1 });
  await endAttempt(store, "unknown", { messageId, attempt: 1, at, reason: "No answer" });
  const now = DAY(20);
  assert.ok(await store.messages.cancel(accountId, messageId, now));
  await store.retention.forgetRecipient(accountId, "ann@one.example", { audit: "count", now });
  await endAttempt(store, "sent", { messageId, attempt: 1, subject: "Canary", at });
  const stored = await opened.db.collection<Document>("messages").findOne({ accountId });
  assert.deepEqual([stored?.["state"], stored?.["sealedSubject"]], ["sent", undefined]);
});

test("a later attempt writes the subject that the first did not have", async () => {
  const accountId = "acc_later";
  const send = await withSubjects(accountId, [["ann@one.example"]]);
  const messageId = messageIdOf(send._id, 0);
  const at = send.acceptedAt;
  await takeAttempt(store, { messageId, attempt: 1 });
  await endAttempt(store, "deferred", { messageId, attempt: 1, at, nextAt: at, reason: "Busy" });
  const second = { messageId, attempt: 2, subject: "Hello" };
  await takeAttempt(store, second);
  await endAttempt(store, "sent", { ...second, at });
  const { messages: [found] } = await store.messages.search(accountId, {}, { limit: 9 });
  assert.deepEqual([found?.state, found?.subject], ["sent", "Hello"]);
});

test("searchMessages() reports that its time was not enough, and continues from there", async () => {
  const filter = { text: "no such text" };
  const cut = await store.messages.search(ACCOUNT, filter, { limit: 9, forMs: 0 });
  assert.equal(cut.isCut, true);
  assert.deepEqual(cut.messages, []);
  const rest = { limit: 9, before: cut.next ?? undefined };
  assert.equal((await store.messages.search(ACCOUNT, filter, rest)).isCut, false);
});

test("the planner finds rare states and recipients by their indexes, also among many others", async () => {
  const messages = opened.db.collection<Document & { _id: string }>("messages");
  const many = Array.from({ length: 3000 }, (_, index) => ({
    _id: messageIdOf(newSendId(index % 3 === 0 ? ACCOUNT : "acc_other", DAY(10)), index),
    accountId: index % 3 === 0 ? ACCOUNT : "acc_other",
    email: `many${index}@example.com`,
    state: "sent",
  }));
  await messages.insertMany(many);
  const plan = async (filter: object) => {
    const query = { accountId: ACCOUNT, ...filter, _id: { $gte: "msg_", $lt: "msg_~" } };
    const found = await messages.find(query).sort({ _id: -1 }).limit(300).explain("executionStats");
    return { text: JSON.stringify(found.queryPlanner.winningPlan), stats: found.executionStats };
  };
  for (const state of INDEXED_STATES) {
    const { text, stats } = await plan({ state });
    assert.match(text, /accountId_1_state_1__id_-1/, state);
    assert.doesNotMatch(text, /"stage":"SORT"/, state);
    assert.ok(stats.totalDocsExamined <= 3, `${state}: ${stats.totalDocsExamined}`);
  }
  const { text, stats } = await plan({ email: "r1@day2.example" });
  assert.match(text, /accountId_1_email_1__id_-1/);
  assert.ok(stats.totalDocsExamined <= 1);
  await messages.deleteMany({ _id: { $in: many.map(({ _id }) => _id) } });
});
