import type { Db } from "mongodb";
import { ANY_CASE } from "./_any_case.ts";
import { collectionsOf } from "./_collections.ts";
import { dropIndex } from "./_drop_index.ts";
import { BY_STATE, INDEXED_STATES } from "./message_search.ts";
import { STATISTICS_HINTS_KEPT_MS, STATISTICS_KEPT_MS } from "./statistics_store.ts";

const MAILER_KEPT_S = 3600;

/** Retention of the history of integrations. */
const HISTORY_KEPT_S = 30 * 24 * 3600;

/** Longer than any write can be in progress. */
const WITHDRAWN_KEPT_S = 24 * 3600;

/**
 * Creates every missing index that the operations need. The indexes of messages hold the few messages that
 * wait or need attention, and the recipients. All others are found by ranges of ids of their send
 * (`messageIdRange`).
 */
export async function createIndexes(db: Db): Promise<void> {
  const { accounts, tokens, templates, versions, drafts, partials } = collectionsOf(db);
  const {
    integrations,
    sends,
    batches,
    idempotencyKeys,
    messages,
    mailers,
    statistics,
    statisticsHints,
    usage,
    assets,
    assetNames,
    suppressions,
    smtpTokens,
  } = collectionsOf(db);
  await createIndexesOfPeople(db);
  await createIndexesOfHistory(db);
  // In an earlier version, a name belonged to one account only.
  await dropIndex(accounts, "name_1");
  await accounts.createIndexes([{ key: { name: 1, createdAt: 1 } }]);
  await tokens.createIndexes([
    { key: { accountId: 1, createdAt: 1 } },
    { key: { expiresAt: 1 }, partialFilterExpression: { expiresAt: { $gt: new Date(0) } } },
  ]);
  await templates.createIndexes([
    { key: { accountId: 1, kind: 1, id: 1 }, unique: true },
    {
      key: { accountId: 1, kind: 1, alias: 1 },
      unique: true,
      // Any text. Unlike `$type`, the planner sees that a look-up by a text fits it.
      partialFilterExpression: { alias: { $gte: "" } },
    },
  ]);
  await versions.createIndexes([
    { key: { accountId: 1, kind: 1, templateId: 1, version: -1 }, unique: true },
    {
      key: { accountId: 1, "includes.name": 1 },
      partialFilterExpression: { "includes.name": { $exists: true } },
    },
  ]);
  await versions.createIndexes([
    {
      key: { "assets.sha256": 1 },
      partialFilterExpression: { "assets.sha256": { $gte: "" } },
    },
    {
      key: { accountId: 1, "assets.name": 1 },
      partialFilterExpression: { "assets.name": { $gte: "" } },
    },
  ]);
  await drafts.createIndexes([{ key: { accountId: 1, kind: 1 } }]);
  await partials.createIndexes([{ key: { accountId: 1, name: 1 } }]);
  await integrations.createIndexes([
    { key: { accountId: 1, id: 1 }, unique: true },
    { key: { accountId: 1, name: 1 }, unique: true },
    {
      key: { "suspended.at": 1 },
      partialFilterExpression: { "suspended.at": { $gt: new Date(0) } },
    },
  ]);
  await sends.createIndexes([
    { key: { accountId: 1, _id: -1 } },
    ...["references", "tags"].map((name) => ({
      key: { accountId: 1 as const, [name]: 1 as const, _id: -1 as const },
      partialFilterExpression: { [name]: { $gte: "" } },
    })),
    {
      // Batches are counted from it alone.
      key: {
        ...{ accountId: 1, batchId: 1, _id: 1, messageCount: 1, settledAt: 1 },
        ...{ held: 1, waitsUntil: 1, endStates: 1 },
      },
      partialFilterExpression: { batchId: { $gte: "" } },
    },
    ...["copies", "assets"].map((name) => ({
      key: { accountId: 1 as const, [name]: 1 as const },
      partialFilterExpression: { [name]: { $gte: "" } },
    })),
    { key: { reconcileAt: 1 }, partialFilterExpression: { settledAt: null } },
    {
      key: { waitsFor: 1, priority: -1, acceptedAt: 1 },
      partialFilterExpression: { waitsFor: { $gte: "" } },
    },
    {
      key: { waitsFor: 1, "from.email": 1, priority: -1, acceptedAt: 1 },
      partialFilterExpression: { waitsFor: { $gte: "" } },
      collation: ANY_CASE,
    },
    { key: { waitsUntil: 1 }, partialFilterExpression: { waitsUntil: { $gt: new Date(0) } } },
    { key: { accountId: 1, emails: 1, _id: -1 }, partialFilterExpression: { settledAt: null } },
    { key: { accountId: 1, settledAt: 1 }, partialFilterExpression: { contentDue: true } },
    {
      key: { withdrawnAt: 1 },
      expireAfterSeconds: WITHDRAWN_KEPT_S,
      partialFilterExpression: { withdrawnAt: { $exists: true } },
    },
  ]);
  await batches.createIndexes([
    { key: { accountId: 1, _id: -1 } },
    { key: { accountId: 1, state: 1, _id: -1 } },
    // Each place holds one batch, even when several are created at the same time.
    {
      key: { accountId: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $gt: 0 } },
    },
    { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $gt: new Date(0) } } },
  ]);
  await idempotencyKeys.createIndexes([{ key: { acceptedAt: 1 } }]);
  await messages.createIndexes([
    {
      key: { waitsFor: 1, acceptedAt: 1 },
      partialFilterExpression: { waitsFor: { $gte: "" } },
    },
    {
      key: { integration: 1, nextAt: 1 },
      partialFilterExpression: { nextAt: { $gt: new Date(0) } },
    },
    ...["from", "acceptedAt", "index"].map((name) => ({
      key: { integration: 1 as const, [name]: 1 as const, nextAt: 1 as const },
      partialFilterExpression: { nextAt: { $gt: new Date(0) } },
    })),
    { key: { accountId: 1, email: 1, _id: -1 } },
    { key: { accountId: 1, copies: 1 }, partialFilterExpression: { copies: { $gte: "" } } },
    {
      key: BY_STATE,
      partialFilterExpression: { state: { $in: [...INDEXED_STATES] } },
    },
  ]);
  // For the operator, over all accounts. These messages are few while somebody attends to them.
  await messages.createIndexes([
    { key: { state: 1 }, partialFilterExpression: { state: "unknown" } },
  ]);
  await assets.createIndexes([{ key: { usedAt: 1 } }]);
  await assetNames.createIndexes([
    { key: { accountId: 1, name: 1 } },
    { key: { accountId: 1, sha256: 1 } },
  ]);
  await usage.createIndexes([{ key: { accountId: 1, day: 1 } }]);
  await statistics.createIndexes([
    { key: { at: 1 }, expireAfterSeconds: STATISTICS_KEPT_MS / 1000 },
    { key: { isRecountDue: 1, at: 1 }, partialFilterExpression: { isRecountDue: true } },
  ]);
  await statisticsHints.createIndexes([
    { key: { at: 1 }, expireAfterSeconds: STATISTICS_HINTS_KEPT_MS / 1000 },
  ]);
  await suppressions.createIndexes([
    { key: { accountId: 1, email: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ]);
  await createIndexesOfEvents(db);
  await smtpTokens.createIndexes([{ key: { keptUntil: 1 }, expireAfterSeconds: 0 }]);
  await mailers.createIndexes([{ key: { seenAt: 1 }, expireAfterSeconds: MAILER_KEPT_S }]);
}

async function createIndexesOfHistory(db: Db): Promise<void> {
  await collectionsOf(db).integrationEvents.createIndexes([
    { key: { accountId: 1, integrationId: 1, at: -1 } },
    { key: { at: 1 }, expireAfterSeconds: HISTORY_KEPT_S },
  ]);
}

async function createIndexesOfEvents(db: Db): Promise<void> {
  const { events, templates, versions } = collectionsOf(db);
  // If two recorders assign the same number, only one keeps it.
  await events.createIndexes([{ key: { accountId: 1, sequence: 1 }, unique: true }]);
  const { webhooks, webhookDeliveries } = collectionsOf(db);
  await webhooks.createIndexes([{ key: { accountId: 1, url: 1 }, unique: true }]);
  await webhookDeliveries.createIndexes([
    { key: { webhookId: 1, at: -1, _id: -1 } },
    { key: { webhookId: 1, nextAt: 1 }, partialFilterExpression: { nextAt: { $gt: new Date(0) } } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ]);
  // Their events are found by time.
  await versions.createIndexes([{ key: { publishedAt: 1 } }]);
  await templates.createIndexes([
    { key: { archivedAt: 1 }, partialFilterExpression: { archivedAt: { $gt: new Date(0) } } },
  ]);
}

async function createIndexesOfPeople(db: Db): Promise<void> {
  const { users, members, sessions, invitations, audit, signInAttempts } = collectionsOf(db);
  // In an earlier version, an address belonged to one user only.
  await dropIndex(users, "email_1");
  await users.createIndexes([
    { key: { email: 1, createdAt: 1 } },
    {
      key: { email: 1 },
      name: "proven_email",
      unique: true,
      partialFilterExpression: { emailProvenAt: { $gte: new Date(0) } },
    },
    {
      key: { "oidc.issuer": 1, "oidc.subject": 1 },
      unique: true,
      partialFilterExpression: { "oidc.subject": { $gte: "" } },
    },
  ]);
  await members.createIndexes([{ key: { accountId: 1, createdAt: 1 } }, { key: { userId: 1 } }]);
  await sessions.createIndexes([
    { key: { userId: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ]);
  await invitations.createIndexes([
    { key: { accountId: 1 } },
    { key: { email: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ]);
  await signInAttempts.createIndexes([{ key: { forgetAt: 1 }, expireAfterSeconds: 0 }]);
  await audit.createIndexes([
    { key: { accountId: 1, _id: -1 } },
    // Each position holds one line, even when several processes write at the same time.
    {
      key: { accountId: 1, seq: 1 },
      unique: true,
      partialFilterExpression: { seq: { $gt: 0 } },
    },
    { key: { userId: 1 } },
  ]);
}
