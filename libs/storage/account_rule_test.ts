import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endAttempt, takeAttempt, testSend } from "@posthaste/kit";
import { setTimeout as delay } from "node:timers/promises";
import { messageIdOf, pageOptionsSchema, webhookSettingsSchema } from "@posthaste/contracts";
import type { Document } from "mongodb";
import { batchOf, openTestStore, postponementOf, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

/** Collections whose documents belong to an account. */
const OWNED = new Set([
  ...["tokens", "counters", "templates", "versions", "integrations"],
  ...["sends", "messages", "integration_health", "integration_events", "drafts", "partials"],
  ...["members", "invitations", "audit", "statistics", "usage"],
  ...["integration_results", "idempotency_keys", "assets", "asset_names", "events"],
  ...["suppressions", "batches"],
  ...["webhooks", "webhook_deliveries", "smtp_tokens"],
]);

const ACCOUNT = "acc_own";
const KEPT = { sha256: "a".repeat(64), bytes: Buffer.from("x") };
const CLAIM = { id: `${ACCOUNT}/1`, accountId: ACCOUNT, holder: "h" };
const SEALED_WEBHOOK = { keyId: "k", wrappedKey: "w", nonce: "n", ciphertext: "c" };
const RECONCILER = "the tracker looks after the mail of all accounts, and no caller reaches it";

const PERSON = "by a user, who may belong to several accounts";

/**
 * Operations that read or write the documents of an account without naming it, and why they may. All others
 * are called below and watched: a new operation without a call or a reason fails the test.
 */
const EXCEPTIONS: Record<string, string> = {
  "tokens.find": "a token is what names the account; it is found by the SHA-256 of 256 random bits",
  "tokens.touch": "by the same hash, of a token that was found",
  "sends.load": "workers have the send's id from an event that the api made",
  "sends.loadMany": "the same, for the tracker",
  "tokens.listExpiring": "the owners of all accounts are reminded by one look",
  "tokens.noteReminder": "by the hash of a token that was found",
  "usage.list": "the api names the accounts whose sends it has accepted, several in one command",
  "statistics.recount": RECONCILER,
  "statistics.ledgerState":
    "counts and sizes for the operator's telemetry, of all accounts together",
  "sends.identify": "the same",
  "registers.find": RECONCILER,
  "messages.unfinished": RECONCILER,
  "messages.unfinishedOf": RECONCILER,
  "sends.listToReconcile": RECONCILER,
  "sends.nextReconciliation": RECONCILER,
  "sends.heads": RECONCILER,
  "sends.settle": RECONCILER,
  "sends.claimReconciliation": RECONCILER,
  "leases.take": "who does the reconcilers' work is no account's business",
  "leases.leave": "the same",
  "leases.renewals": "the same",
  "sends.expireIdempotencyKeys": RECONCILER,
  "sends.planReconciliation": RECONCILER,
  "sends.withdraw":
    "the api takes back what it has just written itself, by an id of 75 random bits",
  "waiting.integrationsDue": RECONCILER,
  "waiting.integrationsWaitedFor": RECONCILER,
  "waiting.advanceSend": RECONCILER,
  "waiting.startSends": RECONCILER,
  "waiting.requeueSends": RECONCILER,
  "sends.finished": RECONCILER,
  "batches.listDue": RECONCILER,
  "batches.removeOld": RECONCILER,
  "assets.removeOld": RECONCILER,
  "assets.findShown":
    "whoever has a mail may load its images, by the SHA-256 of bytes that a version shows by a URL",
  "events.record": "the tracker records events of all accounts; each names its account",
  "events.recorded": RECONCILER,
  "events.subjects": RECONCILER,
  "events.timelines": RECONCILER,
  "events.listHappenings": RECONCILER,
  "events.grown":
    "the api looks for the readers of several accounts together; each part names its own",
  "webhooks.claim":
    "the webhooks service calls the endpoints of all accounts, and no caller reaches it",
  "webhooks.listHeld": "the same",
  "webhooks.leave": "the same",
  "webhooks.listDue": "the same; of endpoints that were found",
  "webhooks.countEndpoints": "the same; of numbers alone",
  "webhooks.waitingSince": "the same; of endpoints that were found",
  "webhooks.saveDeliveries": "the same; each names its account",
  "integrations.listBlocked":
    "the api works for all accounts, and asks for an integration by its account",
  "circuits.list": "mailers share what they know of servers, and send for all accounts",
  "people.listMemberships": PERSON,
  "people.remove": "a person leaves all their accounts, each by its name, as nobody else decides",
  "sessions.list": PERSON,
  "sessions.removeOf": PERSON,
  "sessions.removeAll": PERSON,
  "invitations.find": "by the SHA-256 of 256 random bits, which names the account",
  "invitations.listTo": "who has shown that an address is theirs may see what was sent to it",
  "retention.removeOldSends": RECONCILER,
  "restored.holdUnfinished":
    "the operator has restored the ledger of all accounts; each write names its account",
  "restored.heldGroups": "the same; account by account",
  "secrets.locked": "the operator asks whether the master keys fit, and opens none",
  "audit.eraseOf": PERSON,
  "integrations.listUnnotifiedSuspensions":
    "owners of all accounts are reported of their integrations by one process",
  "templates.versionsWithoutReads": "the operator migrates the versions of all accounts",
  "templates.noteReads": "the same; by the _id of a version that was found",
  "secrets.count": "the operator rotates the master keys of all accounts",
  "secrets.rewrap": "the same; each single write names the account",
  "webhookSecrets.count": "the operator rotates the keys of the webhooks of all accounts",
  "webhookSecrets.rewrap": "the same; each single write names the account",
};

/** Operations that concern no account: the accounts themselves, processes, the connection. */
const WITHOUT_ACCOUNT = [
  ...["accounts.create", "accounts.find", "accounts.list", "ping", "now", "ensureIndexes"],
  ...["mailers.announce", "mailers.live", "mailers.dismiss"],
  ...[
    "people.create",
    "people.hasAny",
    "people.list",
    "people.find",
    "people.listByEmail",
    "people.findByProvenEmail",
    "people.link",
    "people.proveEmail",
    "people.findByOidc",
    "people.update",
  ],
  ...[
    "people.setUp",
    "people.createOwnedAccount",
    "sessions.create",
    "sessions.find",
    "sessions.touch",
    "sessions.remove",
    "sessions.findHalf",
    "sessions.confirm",
    "sessions.keepChallenge",
    "sessions.takeChallenge",
  ],
  ...[
    "people.noteBrowser",
    "people.resetPassword",
    "people.takeTotpStep",
    "people.takeRecoveryCode",
    "people.notePasskeyUse",
  ],
  "people.changeSecondFactor",
  ...[
    "signInAttempts.findWaits",
    "signInAttempts.count",
    "signInAttempts.uncount",
    "signInAttempts.forget",
  ],
];

const send = testSend({ accountId: ACCOUNT, idempotency: { key: "k", bodyHash: "h" } });
const messageId = messageIdOf(send._id, 0);
const batch = batchOf({ accountId: ACCOUNT });
const now = new Date();
const SUPPRESSED = { email: "gone@example.com", reason: "manual" as const, at: now };
const partial = { accountId: ACCOUNT, name: "foot" };
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
  "tokens.create": (store) =>
    store.tokens.create({ accountId: ACCOUNT, name: "t", scopes: ["send"] }),
  "tokens.list": (store) => store.tokens.list(ACCOUNT),
  "tokens.revoke": (store) => store.tokens.revoke(ACCOUNT, "0".repeat(64)),
  "accounts.update": async (store) => {
    await store.accounts.find(ACCOUNT);
    await store.accounts.update(ACCOUNT, { retention: { contentDays: 1 } });
  },
  "people.setMember": (store) =>
    store.people.setMember({ accountId: ACCOUNT, userId: "usr_1", role: "owner" }),
  "people.findMember": (store) => store.people.findMember(ACCOUNT, "usr_1"),
  "people.listMembers": (store) => store.people.listMembers(ACCOUNT),
  "invitations.create": (store) => store.invitations.create(invitation),
  "invitations.list": (store) => store.invitations.list(ACCOUNT, now),
  "people.acceptInvitation": (store) => store.people.acceptInvitation(invitation, { newUser }),
  "people.changeRole": (store) => store.people.changeRole(ACCOUNT, "usr_1", "viewer"),
  "people.removeMember": (store) => store.people.removeMember(ACCOUNT, "usr_1"),
  "invitations.remove": (store) => store.invitations.remove(ACCOUNT, invitation._id),
  "audit.note": (store) =>
    store.audit.note({
      ...{ accountId: ACCOUNT, at: now, userId: null, userEmail: null },
      ...{ action: "token.revoked", target: "token", details: {} },
    }),
  "audit.list": async (store) => {
    await store.audit.list(ACCOUNT, { limit: 1 });
    await store.audit.list(ACCOUNT, { limit: 1, before: "aud_1" });
  },
  "audit.all": (store) => Array.fromAsync(store.audit.all(ACCOUNT)),
  "audit.check": (store) => store.audit.check(ACCOUNT),
  "audit.findDigest": (store) => store.audit.findDigest(ACCOUNT, 1),
  "templates.publish": (store) => store.templates.publish(publication),
  "templates.find": async (store) => {
    await store.templates.find(ACCOUNT, "pdf", 1);
    await store.templates.find(ACCOUNT, "pdf", "pdf");
  },
  "templates.findVersion": (store) => store.templates.findVersion(ACCOUNT, "pdf", 1, 1),
  "templates.list": (store) => store.templates.list(ACCOUNT, "pdf"),
  "templates.listPublished": (store) =>
    store.templates.listPublished(ACCOUNT, "pdf", { limit: 1, after: 0 }),
  "templates.listLanguages": (store) => store.templates.listLanguages(ACCOUNT, "pdf"),
  "templates.findPublished": (store) => store.templates.findPublished(ACCOUNT, "pdf", "pdf"),
  "templates.listVersions": (store) =>
    store.templates.listVersions(template, { limit: 1, before: 9 }),
  "templates.update": (store) => store.templates.update(template, { name: "Other" }),
  "templates.create": (store) => store.templates.create({ ...template, name: "T", alias: "t" }),
  "drafts.create": (store) => store.drafts.create(draft),
  "drafts.find": (store) => store.drafts.find(draft),
  "drafts.change": (store) => store.drafts.change({ ...draft, revision: 1 }),
  "drafts.noteBase": (store) => store.drafts.noteBase({ ...draft, revision: 2 }, 1),
  "partials.change": (store) =>
    store.partials.change({
      ...partial,
      source: "x",
      revision: 0,
      updatedAt: now,
      updatedBy: null,
    }),
  "partials.find": (store) => store.partials.find(partial),
  "partials.list": (store) => store.partials.list(ACCOUNT),
  "partials.published": (store) => store.partials.published(ACCOUNT, ["foot"]),
  "partials.listUsers": (store) => store.partials.listUsers(partial),
  "partials.listCallers": (store) => store.partials.listCallers(partial),
  "partials.publish": (store) =>
    store.partials.publish({
      ...{ ...partial, revision: 1, version: 1, calls: [], changes: [], at: now },
    }),
  "partials.remove": (store) => store.partials.remove(partial),
  "drafts.list": (store) => store.drafts.list(ACCOUNT, "pdf"),
  "templates.uses": (store) => store.templates.uses(ACCOUNT, 10),
  "templates.apply": (store) => {
    const bundled = { kind: "email", alias: "bundled", name: "Bundled", template: null } as const;
    const { source } = draft;
    const change = { ...bundled, draft: { source, revision: null, base: null } };
    const file = {
      name: "pushed",
      sha256: "a".repeat(64),
      size: 1,
      filename: "a",
      contentType: "b/c",
    };
    const assets = [{ asset: file, previous: null }];
    return store.templates.apply(ACCOUNT, [change], now, { assets });
  },
  "templates.archive": (store) => store.templates.archive(template, now),
  "integrations.create": (store) => store.integrations.create(integration),
  "integrations.upsertByName": (store) =>
    store.integrations.upsertByName({ ...integration, host: "other.example" }),
  "integrations.update": (store) => store.integrations.update(ACCOUNT, 1, { port: 25 }),
  "integrations.suspend": (store) =>
    store.integrations.suspend({ _id: `${ACCOUNT}/1`, revision: 1 }, { at: now, reason: "x" }),
  "integrations.noteSuspensionNotified": (store) =>
    store.integrations.noteSuspensionNotified({
      ...{ _id: `${ACCOUNT}/1`, suspended: { at: now, reason: "x" } },
    }, now),
  "integrations.resume": (store) => store.integrations.resume(ACCOUNT, 1),
  "integrations.pause": (store) => store.integrations.pause(ACCOUNT, 1, { at: now, reason: "x" }),
  "integrations.listEvents": (store) => store.integrations.listEvents(ACCOUNT, 1, { limit: 1 }),
  "integrations.countWaiting": (store) => store.integrations.countWaiting(ACCOUNT, 1, 10),
  "events.list": (store) => store.events.list(ACCOUNT, { after: 0, limit: 1 }),
  "events.bounds": (store) => store.events.bounds(ACCOUNT),
  "events.findMany": (store) => store.events.findMany(ACCOUNT, ["evt_1"]),
  "events.find": (store) => store.events.find(ACCOUNT, "evt_1"),
  "events.removeOld": (store) => store.events.removeOld(ACCOUNT, new Date()),
  "webhooks.create": (store) =>
    store.webhooks.create({
      ...{ _id: "whk_1", accountId: ACCOUNT, secret: SEALED_WEBHOOK, at: new Date() },
      ...webhookSettingsSchema.parse({ url: "https://example.com" }),
    }),
  "webhooks.list": (store) => store.webhooks.list(ACCOUNT),
  "webhooks.find": (store) => store.webhooks.find(ACCOUNT, "whk_1"),
  "webhooks.update": (store) => store.webhooks.update(ACCOUNT, "whk_1", { at: new Date() }),
  "webhooks.rotateSecret": (store) =>
    store.webhooks.rotateSecret(ACCOUNT, "whk_1", {
      ...{ sealed: SEALED_WEBHOOK, until: new Date(), at: new Date() },
    }),
  "webhooks.disable": (store) =>
    store.webhooks.disable(ACCOUNT, "whk_1", { at: new Date(), by: "person", reason: "x" }),
  "webhooks.enable": (store) => store.webhooks.enable(ACCOUNT, "whk_1", { at: new Date() }),
  "webhooks.save": (store) =>
    store.webhooks.save(
      { _id: "whk_1", accountId: ACCOUNT, updatedAt: new Date(), position: 0 },
      "me",
      { position: 1 },
    ),
  "webhooks.remove": (store) => store.webhooks.remove(ACCOUNT, "whk_1"),
  "webhooks.dueDeliveries": (store) =>
    store.webhooks.dueDeliveries({ _id: "whk_1", accountId: ACCOUNT }, {
      now: new Date(),
      limit: 1,
    }),
  "webhooks.emailsOfMessages": (store) => store.webhooks.emailsOfMessages(ACCOUNT, ["msg_1"]),
  "webhooks.listDeliveries": (store) =>
    store.webhooks.listDeliveries(ACCOUNT, "whk_1", { limit: 1 }),
  "webhooks.findDelivery": (store) => store.webhooks.findDelivery(ACCOUNT, "whk_1", "evt_1"),
  "webhooks.replayDeliveries": (store) =>
    store.webhooks.replayDeliveries(ACCOUNT, "whk_1", { eventId: "evt_1" }, new Date()),
  "integrations.findCircuit": (store) => store.integrations.findCircuit(ACCOUNT, 1),
  "integrations.find": (store) => store.integrations.find(ACCOUNT, 1),
  "integrations.listSummaries": (store) =>
    store.integrations.listSummaries(ACCOUNT, { limit: 1 }, now),
  "integrations.findSummary": (store) => store.integrations.findSummary(ACCOUNT, 1, now),
  "integrations.list": (store) => store.integrations.list(ACCOUNT),
  "circuits.countFailure": (store) =>
    store.circuits.countFailure({ id: `${ACCOUNT}/1`, reason: "x", now, pauseMs: () => 1000 }),
  "circuits.noteRefusedLogin": (store) =>
    store.circuits.noteRefusedLogin({ id: `${ACCOUNT}/1`, reason: "x", now, retryMs: 1000 }),
  "integrations.replaceRefreshToken": (store) =>
    store.integrations.replaceRefreshToken(ACCOUNT, 1, {
      from: SEALED_WEBHOOK,
      to: SEALED_WEBHOOK,
    }),
  "smtpTokens.find": (store) => store.smtpTokens.find(ACCOUNT, `${ACCOUNT}/1`),
  "smtpTokens.claim": (store) => store.smtpTokens.claim({ ...CLAIM, version: null, forMs: 1000 }),
  "smtpTokens.save": (store) => {
    const failure = { reason: "x", remedy: "y", isPermanent: true, retryAt: now };
    return store.smtpTokens.save({ ...CLAIM, version: "1", revision: 1, keptUntil: now, failure });
  },
  "smtpTokens.release": (store) => store.smtpTokens.release(CLAIM),
  "circuits.close": (store) => store.circuits.close(`${ACCOUNT}/1`),
  "sends.accept": async (store) => {
    await store.sends.accept(send);
    await store.sends.accept(
      testSend({ accountId: ACCOUNT, idempotency: { key: "k", bodyHash: "h" } }),
    );
  },
  "sends.find": (store) => store.sends.find(ACCOUNT, send._id),
  "sends.findByIdempotencyKey": (store) => store.sends.findByIdempotencyKey(ACCOUNT, "k"),
  "sends.list": async (store) => {
    await store.sends.list(ACCOUNT, { limit: 1 });
    await store.sends.list(ACCOUNT, { limit: 1, before: send._id });
  },
  "waiting.postponeMessage": (store) =>
    store.waiting.postponeMessage(postponementOf(send, { now, nextAt: now, reason: "its images" })),
  "waiting.queueSend": (store) => store.waiting.queueSend(send),
  "waiting.overdueSends": (store) =>
    store.waiting.overdueSends(`${ACCOUNT}/1`, { before: new Date(), limit: 9, except: [] }),
  "waiting.listSends": (store) => store.waiting.listSends(`${ACCOUNT}/1`, { limit: 9 }),
  "waiting.overdueMessages": (store) =>
    store.waiting.overdueMessages(`${ACCOUNT}/1`, { now, before: now, limit: 9, except: [] }),
  "waiting.dueMessages": (store) => store.waiting.dueMessages(`${ACCOUNT}/1`, { now, limit: 9 }),
  "integrations.archive": (store) => store.integrations.archive(ACCOUNT, 1, now),
  "registers.ledgerOf": async (store) => {
    const other = testSend({ accountId: ACCOUNT });
    await store.sends.accept(other);
    const messageId = messageIdOf(other._id, 0);
    await takeAttempt(store, { messageId, attempt: 1 });
    await takeAttempt(store, { messageId, attempt: 1 });
    const outcome = { messageId, at: now, reason: "busy" };
    await endAttempt(store, "deferred", { ...outcome, attempt: 1 });
    await endAttempt(store, "deferred", { ...outcome, attempt: 1 });
    await endAttempt(store, "unknown", { ...outcome, attempt: 2 });
    await endAttempt(store, "sent", { ...outcome, attempt: 2 });
  },
  "messages.findWithHead": async (store) => {
    await store.messages.findWithHead(ACCOUNT, messageId);
    await store.messages.findWithHead(ACCOUNT, messageIdOf(send._id, 7));
  },
  "messages.find": async (store) => {
    await store.messages.find(ACCOUNT, messageId);
    await store.messages.find(ACCOUNT, messageIdOf(send._id, 7));
  },
  "messages.list": (store) => store.messages.list(ACCOUNT, send._id),
  "messages.countStates": (store) => store.messages.countStates(ACCOUNT, [send._id]),
  "messages.retry": async (store) => {
    await endAttempt(store, "failed", { messageId, attempt: 1, at: now, reason: "x" });
    assert.ok(await store.messages.retry(ACCOUNT, messageId, { now }));
  },
  "messages.search": async (store) => {
    const page = { limit: 10 };
    const email = { text: send.request.to[0]?.email ?? "", isPrefix: false };
    const other = testSend({ accountId: ACCOUNT });
    await store.sends.accept(other);
    for (const filter of [{}, { states: ["deferred"] as const }, { email }]) {
      assert.ok((await store.messages.search(ACCOUNT, filter, page)).messages.length > 0);
    }
  },
  "messages.findPlaces": async (store) => {
    const waiting = testSend({ accountId: ACCOUNT, next: 0 });
    await store.sends.accept(waiting);
    await store.waiting.queueSend(waiting);
    const message = await store.messages.find(ACCOUNT, messageIdOf(waiting._id, 0));
    assert.ok(message);
    assert.equal((await store.messages.findPlaces(ACCOUNT, [message])).size, 1);
  },
  "messages.groupReasons": (store) =>
    store.messages.groupReasons(ACCOUNT, { states: ["deferred"] }),
  "messages.count": (store) =>
    store.messages.count(ACCOUNT, { state: "deferred", from: new Date(0), limit: 9 }),
  "messages.newestTimelines": (store) => store.messages.newestTimelines(ACCOUNT, 5),
  "messages.oldestWaiting": (store) => store.messages.oldestWaiting(ACCOUNT),
  "messages.cancel": async (store) =>
    assert.ok(await store.messages.cancel(ACCOUNT, messageIdOf(send._id, 0), now)),
  "waiting.rescheduleSend": (store) => store.waiting.rescheduleSend(ACCOUNT, send._id, now),
  "messages.cancelSend": (store) => store.messages.cancelSend(ACCOUNT, send._id, now),
  "messages.cancelSome": (store) =>
    store.messages.cancelSome(ACCOUNT, { sendId: send._id, indexes: new Set([7]) }, now),
  "sends.search": (store) => store.sends.search(ACCOUNT, {}, { limit: 1 }),
  "messages.labelsOfFound": async (store) => {
    const { messages } = await store.messages.search(ACCOUNT, {}, { limit: 1 });
    await store.messages.labelsOfFound(ACCOUNT, messages);
  },
  "retention.removeContents": async (store) => {
    const before = new Date(Date.now() + 60_000);
    await store.sends.accept(testSend({ accountId: ACCOUNT, settledAt: now }));
    await store.retention.removeContents({ accountId: ACCOUNT, before, limit: 9, now });
  },
  "restored.heldMessages": (store) =>
    Array.fromAsync(store.restored.heldMessages(ACCOUNT, { integrationId: 1 })),
  "restored.closeHeld": (store) => store.restored.closeHeld(ACCOUNT, [messageId], now),
  "restored.noteKnownOutcomes": (store) =>
    store.restored.noteKnownOutcomes([
      { ...{ accountId: ACCOUNT, messageId, attempt: 1, at: now }, outcome: "sent" },
    ]),
  "retention.forgetRecipient": (store) =>
    store.retention.forgetRecipient(ACCOUNT, "somebody@example.com", { now, audit: "erase" }),
  "suppressions.add": (store) => store.suppressions.add(ACCOUNT, [SUPPRESSED], { max: 9 }),
  "suppressions.all": (store) => Array.fromAsync(store.suppressions.all(ACCOUNT, now)),
  "suppressions.count": (store) => store.suppressions.count(ACCOUNT),
  "suppressions.list": (store) => store.suppressions.list(ACCOUNT, { limit: 1, now }),
  "suppressions.noteRefused": (store) =>
    store.suppressions.noteRefused(ACCOUNT, { ...SUPPRESSED, email: "other@example.com" }),
  "suppressions.among": (store) => store.suppressions.among(ACCOUNT, [SUPPRESSED.email], now),
  "suppressions.hasAny": (store) => store.suppressions.hasAny(ACCOUNT),
  "suppressions.remove": (store) => store.suppressions.remove(ACCOUNT, [SUPPRESSED.email]),
  "batches.create": async (store) => {
    const idempotency = { key: "b", bodyHash: "h" };
    await store.batches.create(batch, idempotency);
    await store.batches.create(batchOf({ accountId: ACCOUNT }), idempotency);
  },
  "batches.findCreated": (store) => store.batches.findCreated(ACCOUNT, { key: "b", bodyHash: "h" }),
  "batches.find": (store) => store.batches.find(ACCOUNT, batch._id),
  "batches.list": (store) => store.batches.list(ACCOUNT, { limit: 1 }),
  "batches.pinPdfs": (store) =>
    store.batches.pinPdfs(ACCOUNT, batch._id, [{ ref: "1", id: 1, version: 1 }]),
  "batches.count": (store) => store.batches.count(ACCOUNT, batch._id, 1000),
  "batches.endOverdue": (store) => store.batches.endOverdue(batch, now),
  "batches.close": (store) => store.batches.close(ACCOUNT, batch._id, now),
  "batches.nextPart": (store) => store.batches.nextPart(batch, { sends: 1, messages: 1 }),
  "batches.release": (store) => store.batches.release(batch, [send._id], { now, reconcileAt: now }),
  "batches.cancel": (store) => store.batches.cancel(ACCOUNT, batch._id, now),
  "batches.hold": (store) => store.batches.hold(batch),
  "batches.noteProgress": (store) => store.batches.noteProgress(batch, null, now),
  "batches.noteEnds": (store) => {
    const { _id, accountId, messageCount } = send;
    const finished = { _id, accountId, messageCount, batchId: batch._id, states: {}, attempts: 1 };
    return store.batches.noteEnds([finished]);
  },
  "assets.keep": (store) => store.assets.keep(ACCOUNT, [KEPT], now),
  "assets.find": (store) => store.assets.find(ACCOUNT, KEPT.sha256),
  "assets.findName": (store) => store.assets.findName(ACCOUNT, "logo"),
  "assets.listNames": (store) => store.assets.listNames(ACCOUNT, { limit: 1 }),
  "assets.putName": (store) => {
    const file = { size: 1, filename: "a.png", contentType: "image/png", updatedAt: now };
    const name = { accountId: ACCOUNT, name: "logo", sha256: KEPT.sha256, ...file };
    return store.assets.putName(name, KEPT.bytes);
  },
  "assets.describeName": (store) =>
    store.assets.describeName(ACCOUNT, "logo", { alt: "Logo", updatedAt: now }),
  "assets.sizeOfNames": (store) => store.assets.sizeOfNames(ACCOUNT),
  "assets.usersOfName": (store) => store.assets.usersOfName(ACCOUNT, "logo"),
  "assets.removeName": (store) => store.assets.removeName(ACCOUNT, "logo"),
  "statistics.note": (store) => store.statistics.note([{ accountId: ACCOUNT, at: now, sent: 1 }]),
  "integrations.noteResults": (store) =>
    store.integrations.noteResults([{
      accountId: ACCOUNT,
      id: 1,
      lastSent: { at: now, messageId },
    }]),
  "integrations.findResult": (store) => store.integrations.findResult(ACCOUNT, 1, now),
  "integrations.listResults": (store) => store.integrations.listResults(ACCOUNT, now),
  "tokens.roll": (store) => store.tokens.roll({ accountId: ACCOUNT, id: "none", until: now }),
  "usage.note": (store) => store.usage.note([{ accountId: ACCOUNT, at: now, bytes: 1 }]),
  "usage.forget": (store) => store.usage.forget(ACCOUNT, now),
  "statistics.list": (store) =>
    store.statistics.list(ACCOUNT, { from: new Date(0), until: new Date(Date.now() + 60_000) }),
};

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
  await opened.db.createCollection("system.profile", { capped: true, size: 10_000_000 });
});
after(() => opened?.[Symbol.asyncDispose]());

test("every operation of the store names an account or gives a reason why not", () => {
  const named = [...Object.keys(CALLS), ...Object.keys(EXCEPTIONS), ...WITHOUT_ACCOUNT];
  assert.deepEqual(named.toSorted(), operationsOf(opened.store).toSorted());
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
      if (name === "messages.retry" && "attempt" in filter) continue;
      // loadSend(), called by a test's helper: an exception of its own.
      if (collection === "sends" && "contentRemovedAt" in filter) continue;
      // By the ids of a send that was found by its account.
      if (name === "messages.oldestWaiting" && typeof filter["_id"] === "object") continue;
      if (OWNED.has(collection)) assertNamed(filter, `${name} on ${collection}`);
    }
    assert.ok(filters.length > 0 || writes(entries), `${name} was not seen to do anything`);
  }
});

test("the rule fails for an operation that names no account", async () => {
  const { store, db } = opened;
  await db.command({ profile: 2 });
  await store.sends.load(send._id);
  await db.command({ profile: 0 });
  const entries = await db.collection("system.profile").find({ ns: /\.sends$/ })
    .sort({ $natural: -1 }).limit(1).toArray();
  const [found] = entries.flatMap(filtersOf);
  assert.ok(found);
  assert.throws(() => assertNamed(found.filter, "loadSend"), /loadSend/);
  assert.throws(() => assertNamed({ accountId: { $ne: ACCOUNT } }, "operator"), /operator/);
  assert.throws(() => assertNamed({ $or: [{ accountId: ACCOUNT }, {}] }, "either"), /either/);
});

/**
 * Returns the names of all operations, prefixed by their groups; operations outside of groups have no prefix.
 */
function operationsOf(store: Store): string[] {
  return Object.entries(store).flatMap(([name, value]) =>
    typeof value === "function" ? name : Object.keys(value).map((each) => `${name}.${each}`)
  );
}

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

/**
 * Returns whether a filter names the account by equality: as `accountId`, or by ids that begin with the
 * account.
 */
function isNamed(
  { _id, accountId, integration, waitsFor, $or = [] }: Document,
): boolean {
  const ids = [_id, integration, waitsFor].filter((id) => typeof id === "string");
  return accountId === ACCOUNT || ids.some((id) => id.startsWith(`${ACCOUNT}/`)) ||
    $or.length > 0 && $or.every(isNamed);
}
