import { isDeepStrictEqual } from "node:util";
import {
  type Dkim,
  type Integration,
  type IntegrationLogin,
  type IntegrationLoginInput,
  integrationSchema,
  type SealedSecret,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { historian } from "./_integration_event.ts";
import { nextNumber } from "./_next_number.ts";
import { NameTakenError } from "./name_taken_error.ts";
import { RevisionConflictError } from "./revision_conflict_error.ts";

/** How to log in to a server. */
export type IntegrationAuth = IntegrationLogin;

/**
 * Makes the login of an integration. Its secrets are sealed for the record (`sealSecret`), whose id is known
 * only here; `current` is the login that the record holds now.
 */
export type SealAuth = (
  recordId: string,
  current: IntegrationAuth | null,
) => IntegrationLoginInput;

/** Makes the signing key of an integration, as {@linkcode SealAuth} makes a login. */
export type SealDkim = (recordId: string, current: Dkim | null) => Dkim;

/** The settings of an integration. */
export interface IntegrationSettings {
  name: string;
  host: string;
  /** TCP port. */
  port: number;
  tls: Integration["tls"];
  /** `null` for a server without login. */
  auth: SealAuth | null;
  /** Certificate authorities to trust instead of the public ones, as PEM. */
  ca?: string | null | undefined;
  /** Whether to accept any certificate. */
  allowInvalidCertificate?: boolean | undefined;
  senders: string[];
  maxConnections?: number | undefined;
  /** `null` for no limit. */
  maxPerMinute?: number | null | undefined;
  /** In milliseconds. */
  retryForMs?: number | undefined;
  whenUnknown?: Integration["whenUnknown"] | undefined;
  /** Ids of the integrations that send its mail while it cannot. */
  fallbacks?: number[] | undefined;
  /** `null` if its mail is not signed here. */
  dkim?: SealDkim | null | undefined;
}

/** Changes of an integration. */
export type IntegrationChanges = Partial<IntegrationSettings> & {
  /** The revision that the changes were made from. With another one, they are refused. */
  revision?: number | undefined;
};

/** A new integration. */
export type NewIntegration = IntegrationSettings & { accountId: string };

/** The operations on integrations. */
export interface IntegrationStore {
  /**
   * Creates an integration.
   * @throws {NameTakenError} If another integration of the account has the name.
   */
  create(integration: NewIntegration): Promise<Integration>;
  /**
   * Changes an integration; its revision grows if that makes a difference. Sending resumes, unless a person
   * has paused it.
   * @throws {RevisionConflictError} If it was changed since the revision that is given.
   */
  update(
    accountId: string,
    id: number,
    changes: IntegrationChanges,
  ): Promise<Integration | null>;
  /** Creates or updates the integration of this name. Settings that are left out stay as they are. */
  upsertByName(integration: NewIntegration): Promise<Integration>;
  /**
   * Stops sending through an integration, unless it was changed since the given revision. Returns whether it
   * is stopped.
   */
  suspend(
    integration: Pick<Integration, "_id" | "revision">,
    suspended: NonNullable<Integration["suspended"]>,
  ): Promise<boolean>;
  /**
   * Replaces a refresh token, as its provider did. The revision stays. Returns false if another one was stored
   * meanwhile.
   */
  replaceRefreshToken(
    accountId: string,
    id: number,
    tokens: { from: SealedSecret; to: SealedSecret },
  ): Promise<boolean>;
  /** Lists suspensions that no person caused and no owner was notified of, over all accounts. */
  listUnnotifiedSuspensions(limit: number): Promise<Integration[]>;
  /**
   * Notes that the owners are notified. Returns false if another process has noted it, or the suspension is
   * over.
   */
  noteSuspensionNotified(
    integration: Pick<Integration, "_id" | "suspended">,
    toldAt: Date,
  ): Promise<boolean>;
  /** Stops sending because a person wants it. Returns whether there is such an integration. */
  pause(
    accountId: string,
    id: number,
    paused: Pick<NonNullable<Integration["suspended"]>, "at" | "reason">,
  ): Promise<boolean>;
  /**
   * Resumes sending, and closes the circuit of its server immediately. Returns whether there is such an
   * integration.
   */
  resume(accountId: string, id: number, reason?: string): Promise<boolean>;
  /**
   * Archives an integration: it takes no new mail, is no longer listed, and frees its name. Mail that was
   * accepted before is still sent. Returns whether there is such an integration.
   */
  archive(accountId: string, id: number, at: Date): Promise<boolean>;
  /** Finds an integration of an account, archived or not. */
  find(accountId: string, id: number): Promise<Integration | null>;
  /** Lists the integrations of an account by id, without those that are archived. */
  list(accountId: string): Promise<Integration[]>;
}

/** Returns the operations on integrations. Without logins, they only read, and `auth` and `dkim` are null. */
export function integrationStore(
  db: Db,
  { withoutLogins = false }: { withoutLogins?: boolean } = {},
): IntegrationStore {
  const { integrations, openIntegrations, integrationHealth, counters } = collectionsOf(db);
  const readable = withoutLogins ? openIntegrations : integrations;
  const note = historian(db);

  const store: IntegrationStore = {
    async create({ accountId, auth, dkim, ...settings }) {
      const id = await nextNumber(counters, `${accountId}/integration`);
      const createdAt = new Date();
      const _id = `${accountId}/${id}`;
      const integration = integrationSchema.parse({
        ...settings,
        _id,
        accountId,
        id,
        revision: 1,
        auth: auth === null ? null : auth(_id, null),
        dkim: dkim ? dkim(_id, null) : null,
        createdAt,
        updatedAt: createdAt,
      });
      return write(integration.name, async () => {
        await integrations.insertOne(integration);
        return integration;
      });
    },
    async update(accountId, id, changes) {
      for (;;) {
        const current = await store.find(accountId, id);
        if (current === null) return null;
        const { revision = current.revision, ...rest } = changes;
        if (revision !== current.revision) throw new RevisionConflictError("integration");
        const next = changed(current, rest);
        if (isDeepStrictEqual(next, current)) return current;
        next.revision += 1;
        // Any change may be the remedy. A login that is still refused stops it again.
        if (current.suspended?.kind !== "person") next.suspended = null;
        next.updatedAt = new Date();
        // A pause changes no revision: people may continue to edit the settings.
        const since = { "suspended.at": current.suspended?.at ?? null };
        // A refresh token may be replaced meanwhile.
        const token = {
          "auth.refreshToken.ciphertext": refreshTokenOf(current)?.ciphertext ?? null,
        };
        const filter = { _id: current._id, revision: current.revision, ...since, ...token };
        const { _id: _kept, ...fields } = next;
        // Field by field: fields that a newer program has written stay.
        const result = await write(
          next.name,
          () => integrations.updateOne(filter, { $set: fields }),
        );
        if (result.matchedCount === 0) continue;
        // A new login is tried immediately.
        await integrationHealth.deleteOne({ _id: next._id, loginRefusedAt: { $exists: true } });
        if (current.suspended !== null && next.suspended === null) {
          const reason = "The settings were changed";
          await note(next._id, { type: "resumed", at: next.updatedAt, reason });
        }
        return next;
      }
    },
    async upsertByName(integration) {
      const { accountId, name, ...settings } = integration;
      for (;;) {
        const found = await integrations.findOne({ accountId, name });
        const updated = found && await store.update(accountId, found.id, settings);
        if (updated !== null) return updated;
        try {
          return await store.create(integration);
        } catch (error) {
          if (!(error instanceof NameTakenError)) throw error;
        }
      }
    },
    async suspend({ _id, revision }, suspended) {
      const filter = { _id, revision, "suspended.kind": { $ne: "person" as const } };
      // Several mailers find the same fault: the owners are notified once.
      const notified = { toldAt: "$suspended.toldAt" };
      const $set = { suspended: { $mergeObjects: [{ $literal: suspended }, notified] } };
      const before = await integrations.findOneAndUpdate(filter, [{ $set }], {
        projection: { suspended: 1 },
      });
      // An integration that a person paused stays paused, which counts as stopped.
      if (before === null) return await integrations.countDocuments({ _id, revision }) > 0;
      const { at, reason } = suspended;
      if (!before.suspended) await note(_id, { type: "suspended", at, reason });
      return true;
    },
    async replaceRefreshToken(accountId, id, { from, to }) {
      const filter = {
        ...{ _id: `${accountId}/${id}`, accountId },
        "auth.refreshToken.ciphertext": from.ciphertext,
      };
      const $set = { "auth.refreshToken": to };
      return (await integrations.updateOne(filter, { $set })).modifiedCount === 1;
    },
    async listUnnotifiedSuspensions(limit) {
      const filter = {
        ...{ "suspended.at": { $gt: new Date(0) }, "suspended.kind": { $ne: "person" as const } },
        "suspended.toldAt": { $exists: false },
      };
      const found = await integrations.find(filter).limit(limit).toArray();
      return found.map((integration) => integrationSchema.parse(integration));
    },
    async noteSuspensionNotified({ _id, suspended }, toldAt) {
      if (suspended === null) return false;
      const { modifiedCount } = await integrations.updateOne(
        { _id, "suspended.at": suspended.at, "suspended.toldAt": { $exists: false } },
        { $set: { "suspended.toldAt": toldAt } },
      );
      return modifiedCount === 1;
    },
    async pause(accountId, id, { at, reason }) {
      const _id = `${accountId}/${id}`;
      const suspended = { at, reason, kind: "person" as const };
      const { matchedCount } = await integrations.updateOne({ _id }, { $set: { suspended } });
      if (matchedCount === 1) await note(_id, { type: "paused", at, reason });
      return matchedCount === 1;
    },
    async resume(accountId, id, reason = "It was resumed") {
      const _id = `${accountId}/${id}`;
      const before = await integrations.findOneAndUpdate({ _id }, { $set: { suspended: null } }, {
        projection: { suspended: 1 },
      });
      if (before === null) return false;
      const circuit = await integrationHealth.findOneAndDelete({ _id });
      if (before.suspended || circuit?.openUntil) {
        await note(_id, { type: "resumed", at: new Date(), reason });
      }
      return true;
    },
    async archive(accountId, id, at) {
      const _id = `${accountId}/${id}`;
      const result = await integrations.updateOne({ _id, archivedAt: null }, [{
        $set: {
          archivedAt: at,
          name: { $concat: [{ $substrCP: ["$name", 0, 150] }, ` (removed, ${id})`] },
          revision: { $add: ["$revision", 1] },
        },
      }]);
      return result.matchedCount === 1;
    },
    async find(accountId, id) {
      const found = await readable.findOne({ _id: `${accountId}/${id}` });
      return found === null ? null : integrationSchema.parse(found);
    },
    async list(accountId) {
      const found = await readable.find({ accountId, archivedAt: null }).sort({ id: 1 }).toArray();
      return found.map((integration) => integrationSchema.parse(integration));
    },
  };
  return store;
}

function refreshTokenOf({ auth }: Integration): SealedSecret | null {
  return auth?.kind === "oauthRefreshToken" ? auth.refreshToken : null;
}

function changed(current: Integration, changes: Partial<IntegrationSettings>): Integration {
  const { auth, dkim, ...rest } = changes;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return integrationSchema.parse({
    ...current,
    ...Object.fromEntries(given),
    auth: auth === undefined
      ? current.auth
      : auth === null
      ? null
      : auth(current._id, current.auth),
    dkim: dkim === undefined
      ? current.dkim
      : dkim === null
      ? null
      : dkim(current._id, current.dkim),
  });
}

async function write<T>(name: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw isDuplicateKey(error) ? new NameTakenError("integration", name) : error;
  }
}
