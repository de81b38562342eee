import { isDeepStrictEqual } from "node:util";
import { type Integration, integrationSchema } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { nextNumber } from "./_next_number.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** How to log in to a server. */
export type IntegrationAuth = NonNullable<Integration["auth"]>;

/**
 * Makes the log-in of an integration. The password is sealed for the record (`sealSecret`), whose id
 * is known only here; `current` is what the record holds so far.
 */
export type SealAuth = (recordId: string, current: IntegrationAuth | null) => IntegrationAuth;

/** What people set about an integration. */
export interface IntegrationSettings {
  name: string;
  host: string;
  /** TCP port. */
  port: number;
  tls: Integration["tls"];
  /** `null` for a server without log-in. */
  auth: SealAuth | null;
  /** Certificate authorities to trust instead of those that everybody trusts, as PEM. */
  ca?: string | null | undefined;
  /** Whether any certificate will do. */
  allowInvalidCertificate?: boolean | undefined;
  senders: string[];
  maxConnections?: number | undefined;
  /** `null` for no limit. */
  maxPerMinute?: number | null | undefined;
  /** In milliseconds. */
  retryForMs?: number | undefined;
  whenUnknown?: Integration["whenUnknown"] | undefined;
}

/** A new integration. */
export type NewIntegration = IntegrationSettings & { accountId: string };

/** What can be done with integrations. */
export interface IntegrationStore {
  /**
   * Creates an integration.
   * @throws {NameTakenError} If another one of the account has the name.
   */
  createIntegration(integration: NewIntegration): Promise<Integration>;
  /** Changes an integration; its revision grows if that makes a difference. */
  updateIntegration(
    accountId: string,
    id: number,
    changes: Partial<IntegrationSettings>,
  ): Promise<Integration | null>;
  /** Creates the integration of this name or makes it so; settings left out stay as they are. */
  upsertIntegrationByName(integration: NewIntegration): Promise<Integration>;
  /**
   * Stops sending through an integration, unless it was changed since the given revision. Gives
   * whether it is stopped.
   */
  suspendIntegration(
    integration: Pick<Integration, "_id" | "revision">,
    suspended: NonNullable<Integration["suspended"]>,
  ): Promise<boolean>;
  /** Sends through it again. Gives whether there is such an integration. */
  resumeIntegration(accountId: string, id: number): Promise<boolean>;
  /** Finds an integration of an account. */
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  /** Lists the integrations of an account by id. */
  listIntegrations(accountId: string): Promise<Integration[]>;
}

/** Gives the operations on integrations; without logins, reading alone, and `auth` is null. */
export function integrationStore(
  db: Db,
  { withoutLogins = false }: { withoutLogins?: boolean } = {},
): IntegrationStore {
  const { integrations, openIntegrations, counters } = collectionsOf(db);
  const readable = withoutLogins ? openIntegrations : integrations;

  const store: IntegrationStore = {
    async createIntegration({ accountId, auth, ...settings }) {
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
        createdAt,
        updatedAt: createdAt,
      });
      return write(integration.name, async () => {
        await integrations.insertOne(integration);
        return integration;
      });
    },
    async updateIntegration(accountId, id, changes) {
      for (;;) {
        const current = await store.findIntegration(accountId, id);
        if (current === null) return null;
        const next = changed(current, changes);
        if (isDeepStrictEqual(next, current)) return current;
        next.revision += 1;
        // Whatever was changed, it may be the remedy: a login that is still refused stops it again.
        next.suspended = null;
        next.updatedAt = new Date();
        const filter = { _id: current._id, revision: current.revision };
        const result = await write(next.name, () => integrations.replaceOne(filter, next));
        if (result.matchedCount === 1) return next;
      }
    },
    async upsertIntegrationByName(integration) {
      const { accountId, name, ...settings } = integration;
      for (;;) {
        const found = await integrations.findOne({ accountId, name });
        const updated = found && await store.updateIntegration(accountId, found.id, settings);
        if (updated !== null) return updated;
        try {
          return await store.createIntegration(integration);
        } catch (error) {
          if (!(error instanceof NameTakenError)) throw error;
        }
      }
    },
    async suspendIntegration({ _id, revision }, suspended) {
      const result = await integrations.updateOne({ _id, revision }, { $set: { suspended } });
      return result.matchedCount === 1;
    },
    async resumeIntegration(accountId, id) {
      const filter = { _id: `${accountId}/${id}` };
      const result = await integrations.updateOne(filter, { $set: { suspended: null } });
      return result.matchedCount === 1;
    },
    async findIntegration(accountId, id) {
      const found = await readable.findOne({ _id: `${accountId}/${id}` });
      return found === null ? null : integrationSchema.parse(found);
    },
    async listIntegrations(accountId) {
      const found = await readable.find({ accountId }).sort({ id: 1 }).toArray();
      return found.map((integration) => integrationSchema.parse(integration));
    },
  };
  return store;
}

function changed(current: Integration, changes: Partial<IntegrationSettings>): Integration {
  const { auth, ...rest } = changes;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return integrationSchema.parse({
    ...current,
    ...Object.fromEntries(given),
    auth: auth === undefined
      ? current.auth
      : auth === null
      ? null
      : auth(current._id, current.auth),
  });
}

async function write<T>(name: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw isDuplicateKey(error) ? new NameTakenError("integration", name) : error;
  }
}
