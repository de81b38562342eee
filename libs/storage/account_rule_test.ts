import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt } from "@posthaste/kit";
import { setTimeout as delay } from "node:timers/promises";
import { messageIdOf, pageOptionsSchema } from "@posthaste/contracts";
import type { Document } from "mongodb";
import { openTestStore, putOffOf, sendOf, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

/** Collections whose documents belong to an account. */
const OWNED = new Set([
  ...["tokens", "counters", "templates", "versions", "integrations"],
  ...["sends", "messages", "integration_health", "integration_events", "drafts"],
  ...["members", "invitations", "audit", "statistics", "usage"],
  ...["integration_results", "idempotency_keys"],
]);

const ACCOUNT = "acc_own";
const RECONCILER = "the tracker looks after the mail of all accounts, and no caller reaches it";

const PERSON = "by a user, who may belong to several accounts";

/**
 * What reads or writes the documents of an account without naming it, and why it may. Everything else
 * is called below and watched: a new operation without a call or a reason fails the test.
 */
const EXCEPTIONS: Record<string, string> = {
  findToken: "a token is what tells the account; it is found by the SHA-256 of 256 random bits",
  touchToken: "by the same hash, of a token that was found",
  loadSend: "workers have the send's id from an event that the api made",
  loadSends: "the same, for the tracker",
  listExpiringTokens: "the owners of all accounts are reminded by one look",
  noteTokenReminder: "by the hash of a token that was found",
  listUsage: "the api names the accounts whose sends it has accepted, several in one command",
  recountStatistics: RECONCILER,
  ledgerState: "counts and sizes for the operator's telemetry, of all accounts together",
  findRecipients: "the same",
  findRegisters: RECONCILER,
  unfinishedMessages: RECONCILER,
  sendsToReconcile: RECONCILER,
  nextReconciliation: RECONCILER,
  sendHeads: RECONCILER,
  settleSends: RECONCILER,
  claimReconciliation: RECONCILER,
  takeLeaderLease: "who does the reconcilers' work is no account's business",
  leaveLeaderLease: "the same",
  expireIdempotencyKeys: RECONCILER,
  hastenReconciliation:
    "it only has the reconciler look at a send earlier; of a message that was claimed",
  withdrawSend: "the api takes back what it has just written itself, by an id of 75 random bits",
  integrationsDue: RECONCILER,
  integrationsWaitedFor: RECONCILER,
  advanceSend: RECONCILER,
  finishedSends: RECONCILER,
  listClosed: "the api works for all accounts, and asks for an integration by its account",
  listCircuits: "mailers share what they know of servers, and send for all accounts",
  listMemberships: PERSON,
  removeUser: "a person leaves all their accounts, each by its name, as nobody else decides",
  listSessions: PERSON,
  removeSessionOf: PERSON,
  removeSessions: PERSON,
  findInvitation: "by the SHA-256 of 256 random bits, which tells the account",
  listInvitationsTo: "who has shown that an address is theirs may see what was sent to it",
  removeOldSends: RECONCILER,
  holdUnfinished:
    "the operator has restored the ledger of all accounts; each write names its account",
  heldGroups: "the same; account by account",
  lockedSecrets: "the operator asks whether the master keys fit, and opens none",
  eraseAuditOf: PERSON,
  listUnnotifiedSuspensions: "owners of all accounts are told of their integrations by one process",
  versionsWithoutReads: "the operator migrates the versions of all accounts",
  noteReads: "the same; by the _id of a version that was found",
  countSecrets: "the operator rotates the master keys of all accounts",
  rewrapSecrets: "the same; each single write names the account",
};

/** Of no account: the accounts themselves, processes, the connection. */
const WITHOUT_ACCOUNT = [
  ...["createAccount", "findAccount", "listAccounts", "ping", "now", "ensureIndexes"],
  ...["announceMailer", "liveMailers", "dismissMailer"],
  ...[
    "createUser",
    "hasUsers",
    "listUsers",
    "findUser",
    "listUsersByEmail",
    "findUserByProvenEmail",
    "linkUser",
    "proveEmail",
    "findUserByOidc",
    "updateUser",
  ],
  ...[
    "setUp",
    "createOwnedAccount",
    "createSession",
    "findSession",
    "touchSession",
    "removeSession",
    "findHalfSession",
    "confirmSession",
    "keepChallenge",
    "takeChallenge",
  ],
  ...["noteBrowser", "resetPassword", "takeTotpStep", "takeRecoveryCode", "notePasskeyUse"],
  "changeSecondFactor",
  ...["findWaits", "countAttempt", "uncountAttempt", "forgetAttempts"],
];

const send = sendOf({ accountId: ACCOUNT, idempotency: { key: "k", bodyHash: "h" } });
const messageId = messageIdOf(send._id, 0);
const now = new Date();
const publication = {
  ...{ accountId: ACCOUNT, kind: "pdf" as const, name: "PDF", alias: "pdf", variables: [] },
  ...{ source: { html: "" }, parts: { html: "", filename: "a.pdf" }, sourceHash: "1" },
  page: pageOptionsSchema.parse({}),
};
const template = {
  ...{ _id: `${ACCOUNT}/pdf/1`, accountId: ACCOUNT, kind: "pdf" as const, id: 1 },
};
const draft = {
  ...template,
  ...{ base: null, updatedAt: now, updatedBy: null },
  source: {
    ...{ subject: "", html: "", text: "", filename: "a.pdf", variables: [], locale: "en" },
    ...{ page: null, sample: {} },
  },
};
const integration = {
  ...{ accountId: ACCOUNT, name: "main", host: "h.example", port: 587, tls: "none" as const },
  ...{ auth: null, senders: ["a@example.com"] },
};

const invitation = {
  ...{ _id: "1".repeat(64), accountId: ACCOUNT, email: "new@example.com", role: "editor" as const },
  ...{ invitedBy: "usr_1", createdAt: now, expiresAt: new Date(now.getTime() + 60_000) },
};
const newUser = { email: "new@example.com", name: "New", passwordHash: null };

/** One call of each operation that takes an account, in an order in which they do their work. */
const CALLS: Record<string, (store: Store) => Promise<unknown>> = {
  createToken: (store) => store.createToken({ accountId: ACCOUNT, name: "t", scopes: ["send"] }),
  listTokens: (store) => store.listTokens(ACCOUNT),
  revokeToken: (store) => store.revokeToken(ACCOUNT, "0".repeat(64)),
  updateAccount: async (store) => {
    await store.findAccount(ACCOUNT);
    await store.updateAccount(ACCOUNT, { retention: { contentDays: 1 } });
  },
  setMember: (store) => store.setMember({ accountId: ACCOUNT, userId: "usr_1", role: "owner" }),
  findMember: (store) => store.findMember(ACCOUNT, "usr_1"),
  listMembers: (store) => store.listMembers(ACCOUNT),
  changeRole: (store) => store.changeRole(ACCOUNT, "usr_1", "viewer"),
  removeMember: (store) => store.removeMember(ACCOUNT, "usr_1"),
  createInvitation: (store) => store.createInvitation(invitation),
  listInvitations: (store) => store.listInvitations(ACCOUNT, now),
  acceptInvitation: (store) => store.acceptInvitation(invitation, { newUser }),
  removeInvitation: (store) => store.removeInvitation(ACCOUNT, invitation._id),
  noteAudit: (store) =>
    store.noteAudit({
      ...{ accountId: ACCOUNT, at: now, userId: null, userEmail: null },
      ...{ action: "token.revoked", target: "token", details: {} },
    }),
  listAudit: async (store) => {
    await store.listAudit(ACCOUNT, { limit: 1 });
    await store.listAudit(ACCOUNT, { limit: 1, before: "aud_1" });
  },
  allAudit: (store) => Array.fromAsync(store.allAudit(ACCOUNT)),
  checkAudit: (store) => store.checkAudit(ACCOUNT),
  findAuditDigest: (store) => store.findAuditDigest(ACCOUNT, 1),
  publishVersion: (store) => store.publishVersion(publication),
  findTemplate: async (store) => {
    await store.findTemplate(ACCOUNT, "pdf", 1);
    await store.findTemplate(ACCOUNT, "pdf", "pdf");
  },
  findVersion: (store) => store.findVersion(ACCOUNT, "pdf", 1, 1),
  listTemplates: (store) => store.listTemplates(ACCOUNT, "pdf"),
  listPublishedTemplates: (store) =>
    store.listPublishedTemplates(ACCOUNT, "pdf", { limit: 1, after: 0 }),
  findPublishedTemplate: (store) => store.findPublishedTemplate(ACCOUNT, "pdf", "pdf"),
  listVersions: (store) => store.listVersions(template, { limit: 1, before: 9 }),
  updateTemplate: (store) => store.updateTemplate(template, { name: "Other" }),
  createTemplate: (store) => store.createTemplate({ ...template, name: "T", alias: "t" }),
  createDraft: (store) => store.createDraft(draft),
  findDraft: (store) => store.findDraft(draft),
  changeDraft: (store) => store.changeDraft({ ...draft, revision: 1 }),
  noteDraftBase: (store) => store.noteDraftBase({ ...draft, revision: 2 }, 1),
  listDrafts: (store) => store.listDrafts(ACCOUNT, "pdf"),
  templateUses: (store) => store.templateUses(ACCOUNT, 10),
  archiveTemplate: (store) => store.archiveTemplate(template, now),
  createIntegration: (store) => store.createIntegration(integration),
  upsertIntegrationByName: (store) =>
    store.upsertIntegrationByName({ ...integration, host: "other.example" }),
  updateIntegration: (store) => store.updateIntegration(ACCOUNT, 1, { port: 25 }),
  suspendIntegration: (store) =>
    store.suspendIntegration({ _id: `${ACCOUNT}/1`, revision: 1 }, { at: now, reason: "x" }),
  noteSuspensionNotified: (store) =>
    store.noteSuspensionNotified({
      ...{ _id: `${ACCOUNT}/1`, suspended: { at: now, reason: "x" } },
    }, now),
  resumeIntegration: (store) => store.resumeIntegration(ACCOUNT, 1),
  pauseIntegration: (store) => store.pauseIntegration(ACCOUNT, 1, { at: now, reason: "x" }),
  listIntegrationEvents: (store) => store.listIntegrationEvents(ACCOUNT, 1, { limit: 1 }),
  countWaiting: (store) => store.countWaiting(ACCOUNT, 1, 10),
  findCircuit: (store) => store.findCircuit(ACCOUNT, 1),
  findIntegration: (store) => store.findIntegration(ACCOUNT, 1),
  listIntegrationSummaries: (store) => store.listIntegrationSummaries(ACCOUNT, { limit: 1 }, now),
  findIntegrationSummary: (store) => store.findIntegrationSummary(ACCOUNT, 1, now),
  listIntegrations: (store) => store.listIntegrations(ACCOUNT),
  countFailure: (store) =>
    store.countFailure({ id: `${ACCOUNT}/1`, reason: "x", now, pauseMs: () => 1000 }),
  noteRefusedLogin: (store) =>
    store.noteRefusedLogin({ id: `${ACCOUNT}/1`, reason: "x", now, retryMs: 1000 }),
  closeCircuit: (store) => store.closeCircuit(`${ACCOUNT}/1`),
  acceptSend: async (store) => {
    await store.acceptSend(send);
    await store.acceptSend(
      sendOf({ accountId: ACCOUNT, idempotency: { key: "k", bodyHash: "h" } }),
    );
  },
  findSend: (store) => store.findSend(ACCOUNT, send._id),
  findSendByIdempotencyKey: (store) => store.findSendByIdempotencyKey(ACCOUNT, "k"),
  listSends: async (store) => {
    await store.listSends(ACCOUNT, { limit: 1 });
    await store.listSends(ACCOUNT, { limit: 1, before: send._id });
  },
  putOffMessage: (store) =>
    store.putOffMessage(putOffOf(send, { now, nextAt: now, reason: "its images" })),
  queueSend: (store) => store.queueSend(send),
  waitingSends: (store) => store.waitingSends(`${ACCOUNT}/1`, 9),
  dueMessages: (store) => store.dueMessages(`${ACCOUNT}/1`, { now, limit: 9 }),
  archiveIntegration: (store) => store.archiveIntegration(ACCOUNT, 1, now),
  ledgerOf: async (store) => {
    const other = sendOf({ accountId: ACCOUNT });
    await store.acceptSend(other);
    const messageId = messageIdOf(other._id, 0);
    await takeAttempt(store, { messageId, attempt: 1 });
    await takeAttempt(store, { messageId, attempt: 1 });
    const outcome = { messageId, at: now, reason: "busy" };
    await endAttempt(store, "deferred", { ...outcome, attempt: 1 });
    await endAttempt(store, "deferred", { ...outcome, attempt: 1 });
    await endAttempt(store, "unknown", { ...outcome, attempt: 2 });
    await endAttempt(store, "sent", { ...outcome, attempt: 2 });
  },
  findMessage: async (store) => {
    await store.findMessage(ACCOUNT, messageId);
    await store.findMessage(ACCOUNT, messageIdOf(send._id, 7));
  },
  listMessages: (store) => store.listMessages(ACCOUNT, send._id),
  countStates: (store) => store.countStates(ACCOUNT, [send._id]),
  retryMessage: async (store) => {
    await endAttempt(store, "failed", { messageId, attempt: 1, at: now, reason: "x" });
    assert.ok(await store.retryMessage(ACCOUNT, messageId, { now }));
  },
  searchMessages: async (store) => {
    const page = { limit: 10 };
    const email = { text: send.request.to[0]?.email ?? "", isPrefix: false };
    const other = sendOf({ accountId: ACCOUNT });
    await store.acceptSend(other);
    for (const filter of [{}, { states: ["deferred"] as const }, { email }]) {
      assert.ok((await store.searchMessages(ACCOUNT, filter, page)).messages.length > 0);
    }
  },
  findPlaces: async (store) => {
    const waiting = sendOf({ accountId: ACCOUNT, next: 0 });
    await store.acceptSend(waiting);
    await store.queueSend(waiting);
    const message = await store.findMessage(ACCOUNT, messageIdOf(waiting._id, 0));
    assert.ok(message);
    assert.equal((await store.findPlaces(ACCOUNT, [message])).size, 1);
  },
  groupReasons: (store) => store.groupReasons(ACCOUNT, { states: ["deferred"] }),
  countMessages: (store) =>
    store.countMessages(ACCOUNT, { state: "deferred", from: new Date(0), limit: 9 }),
  newestTimelines: (store) => store.newestTimelines(ACCOUNT, 5),
  oldestWaiting: (store) => store.oldestWaiting(ACCOUNT),
  cancelMessage: async (store) =>
    assert.ok(await store.cancelMessage(ACCOUNT, messageIdOf(send._id, 0), now)),
  cancelSend: (store) => store.cancelSend(ACCOUNT, send._id, now),
  cancelSome: (store) =>
    store.cancelSome(ACCOUNT, { sendId: send._id, indexes: new Set([7]) }, now),
  searchSends: (store) => store.searchSends(ACCOUNT, {}, { limit: 1 }),
  labelsOfFound: async (store) => {
    const { messages } = await store.searchMessages(ACCOUNT, {}, { limit: 1 });
    await store.labelsOfFound(ACCOUNT, messages);
  },
  removeContents: async (store) => {
    const before = new Date(Date.now() + 60_000);
    await store.acceptSend(sendOf({ accountId: ACCOUNT, settledAt: now }));
    await store.removeContents({ accountId: ACCOUNT, before, limit: 9, now });
  },
  heldMessages: (store) => Array.fromAsync(store.heldMessages(ACCOUNT, { integrationId: 1 })),
  isOlderThan: (store) => store.isOlderThan({ accountId: ACCOUNT, messageId, at: now }),
  closeHeld: (store) => store.closeHeld(ACCOUNT, [messageId], now),
  noteKnownOutcomes: (store) =>
    store.noteKnownOutcomes([
      { ...{ accountId: ACCOUNT, messageId, attempt: 1, at: now }, outcome: "sent" },
    ]),
  forgetRecipient: (store) => store.forgetRecipient(ACCOUNT, "somebody@example.com", now),
  noteStatistics: (store) => store.noteStatistics([{ accountId: ACCOUNT, at: now, sent: 1 }]),
  noteResults: (store) =>
    store.noteResults([{ accountId: ACCOUNT, id: 1, lastSent: { at: now, messageId } }]),
  listResults: (store) => store.listResults(ACCOUNT, now),
  rollToken: (store) => store.rollToken({ accountId: ACCOUNT, id: "none", until: now }),
  noteUsage: (store) => store.noteUsage([{ accountId: ACCOUNT, at: now, bytes: 1 }]),
  forgetUsage: (store) => store.forgetUsage(ACCOUNT, now),
  listStatistics: (store) =>
    store.listStatistics(ACCOUNT, { from: new Date(0), until: new Date(Date.now() + 60_000) }),
};

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
  await opened.db.createCollection("system.profile", { capped: true, size: 10_000_000 });
});
after(() => opened?.[Symbol.asyncDispose]());

test("every operation of the store either names an account or says why it need not", () => {
  const named = [...Object.keys(CALLS), ...Object.keys(EXCEPTIONS), ...WITHOUT_ACCOUNT];
  assert.deepEqual(named.toSorted(), Object.keys(opened.store).toSorted());
});

test("every command on an account's documents names the account, or an id that begins with it", async () => {
  const { store, db } = opened;
  const profile = db.collection("system.profile");
  for (const [name, call] of Object.entries(CALLS)) {
    await db.command({ profile: 2 });
    const begin = new Date();
    await call(store);
    await db.command({ profile: 0 });
    const entries = await profile.find({ ts: { $gte: begin }, ns: { $not: /system\.profile$/ } })
      .toArray();
    await delay(2);
    const filters = entries.flatMap(filtersOf);
    for (const { collection, filter } of filters) {
      // The mark before a retry is an exception of its own.
      if (name === "retryMessage" && "attempt" in filter) continue;
      // loadSend(), by a test's helper: an exception of its own.
      if (collection === "sends" && "contentRemovedAt" in filter) continue;
      // By ids of a send that was found by its account.
      if (name === "oldestWaiting" && typeof filter["_id"] === "object") continue;
      if (OWNED.has(collection)) assertNamed(filter, `${name} on ${collection}`);
    }
    assert.ok(filters.length > 0 || writes(entries), `${name} was not seen to do anything`);
  }
});

test("the rule is seen to be broken by an operation that names no account", async () => {
  const { store, db } = opened;
  await db.command({ profile: 2 });
  await store.loadSend(send._id);
  await db.command({ profile: 0 });
  const entries = await db.collection("system.profile").find({ ns: /\.sends$/ })
    .sort({ $natural: -1 }).limit(1).toArray();
  const [found] = entries.flatMap(filtersOf);
  assert.ok(found);
  assert.throws(() => assertNamed(found.filter, "loadSend"), /loadSend/);
  assert.throws(() => assertNamed({ accountId: { $ne: ACCOUNT } }, "operator"), /operator/);
  assert.throws(() => assertNamed({ $or: [{ accountId: ACCOUNT }, {}] }, "either"), /either/);
});

interface Found {
  collection: string;
  filter: Document;
}

function filtersOf({ ns, op, command }: Document): Found[] {
  const collection = String(ns).split(".").slice(1).join(".");
  if (op === "insert" || command === undefined) return [];
  const { filter, query, q, pipeline } = command;
  const match = pipeline?.[0]?.$match;
  const found = filter ?? query ?? q ?? match;
  return found === undefined ? [] : [{ collection, filter: found }];
}

function writes(entries: Document[]): boolean {
  return entries.some(({ op }) => op === "insert");
}

function assertNamed(filter: Document, what: string): void {
  assert.ok(isNamed(filter), `${what} asks for ${JSON.stringify(filter)}`);
}

/** By equality: `_id` of these collections begins with the account, or is asked for beside it. */
function isNamed(
  { _id, accountId, integration, waitsFor, $or = [] }: Document,
): boolean {
  const ids = [_id, integration, waitsFor].filter((id) => typeof id === "string");
  return accountId === ACCOUNT || ids.some((id) => id.startsWith(`${ACCOUNT}/`)) ||
    $or.length > 0 && $or.every(isNamed);
}
