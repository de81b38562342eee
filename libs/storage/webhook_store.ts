import {
  MAX_WEBHOOKS,
  type SealedSecret,
  UNKNOWN_HEALTH,
  type Webhook,
  type WebhookSettings,
} from "@posthaste/contracts";
import type { Db, UpdateFilter } from "mongodb";
import { collectionsOf, type StoredWebhook } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** A new endpoint. It reads the feed from now on. */
export interface NewWebhook extends WebhookSettings {
  /** `whk_` and a ULID. The secret is sealed for it. */
  _id: string;
  accountId: string;
  secret: SealedSecret;
  at: Date;
}

/** An account has reached its maximum number of endpoints. */
export class TooManyWebhooksError extends Error {
  override readonly name = "TooManyWebhooksError";
}

/** The operations on webhook endpoints for people who configure them. */
export interface WebhookStore {
  /**
   * Creates an endpoint.
   *
   * @throws {NameTakenError} If another endpoint of the account has its URL.
   * @throws {TooManyWebhooksError} If the account has reached its maximum.
   */
  create(webhook: NewWebhook): Promise<Webhook>;
  /** Lists the endpoints of an account, the oldest first. */
  list(accountId: string): Promise<Webhook[]>;
  /** Finds an endpoint of an account. */
  find(accountId: string, id: string): Promise<Webhook | null>;
  /** Changes the settings of an endpoint. @throws {NameTakenError} If another endpoint has the URL. */
  update(
    accountId: string,
    id: string,
    changes: Partial<WebhookSettings> & Pick<Partial<Webhook>, "movedAt"> & { at: Date },
  ): Promise<Webhook | null>;
  /** Removes an endpoint. Its deliveries expire later. Returns whether it existed. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Sets a new secret of an endpoint. The previous one also signs until a time. */
  rotateSecret(
    accountId: string,
    id: string,
    secret: { sealed: SealedSecret; until: Date; at: Date },
  ): Promise<Webhook | null>;
  /** Resumes requests to an endpoint: from where it stopped, or after `position`. */
  enable(
    accountId: string,
    id: string,
    options: { at: Date; position?: number | undefined },
  ): Promise<Webhook | null>;
  /** Stops requests to an endpoint. */
  disable(
    accountId: string,
    id: string,
    disabled: NonNullable<Webhook["disabled"]>,
  ): Promise<Webhook | null>;
}

/** The most secrets that sign at the same time. */
const MAX_SECRETS = 3;

const WITHOUT_LEASE = { lease: 0 } as const;

/** Returns the operations on webhook endpoints. */
export function webhookStore(db: Db): WebhookStore {
  const { webhooks, events } = collectionsOf(db);

  async function change(
    accountId: string,
    _id: string,
    update: UpdateFilter<StoredWebhook>,
  ): Promise<Webhook | null> {
    const options = { returnDocument: "after", projection: WITHOUT_LEASE } as const;
    return await unlessTaken(() => webhooks.findOneAndUpdate({ _id, accountId }, update, options));
  }

  return {
    async create({ secret, at, ...given }) {
      const { accountId } = given;
      if (await webhooks.countDocuments({ accountId }, { limit: MAX_WEBHOOKS }) >= MAX_WEBHOOKS) {
        throw new TooManyWebhooksError(`an account has ${MAX_WEBHOOKS} endpoints at most`);
      }
      const newest = await events.findOne({ accountId }, { sort: { sequence: -1 } });
      const webhook: Webhook = {
        ...given,
        secrets: [{ sealed: secret, until: null }],
        position: newest?.sequence ?? 0,
        health: UNKNOWN_HEALTH,
        disabled: null,
        ...{ createdAt: at, updatedAt: at },
      };
      await unlessTaken(() => webhooks.insertOne(webhook));
      return webhook;
    },
    list: (accountId) =>
      webhooks.find({ accountId }, { projection: WITHOUT_LEASE }).sort({ _id: 1 }).toArray(),
    find: (accountId, _id) => webhooks.findOne({ _id, accountId }, { projection: WITHOUT_LEASE }),
    update: (accountId, id, { at, ...changes }) =>
      change(accountId, id, { $set: { ...changes, updatedAt: at } }),
    async remove(accountId, _id) {
      return (await webhooks.deleteOne({ _id, accountId })).deletedCount > 0;
    },
    async rotateSecret(accountId, id, { sealed, until, at }) {
      for (;;) {
        const found = await webhooks.findOne({ _id: id, accountId });
        if (found === null) return null;
        const before = found.secrets.filter((secret) => secret.until === null || secret.until > at)
          .map((secret) => ({ ...secret, until: secret.until ?? until }));
        const secrets = [{ sealed, until: null }, ...before].slice(0, MAX_SECRETS);
        // With the secrets: a change at the same time must be neither lost nor undone.
        const changed = await webhooks.findOneAndUpdate(
          { _id: id, accountId, secrets: found.secrets },
          { $set: { secrets, updatedAt: at } },
          { returnDocument: "after", projection: WITHOUT_LEASE },
        );
        if (changed !== null) return changed;
      }
    },
    enable: (accountId, id, { at, position }) =>
      change(accountId, id, {
        $set: {
          ...{ disabled: null, health: UNKNOWN_HEALTH, updatedAt: at },
          ...(position === undefined ? {} : { position }),
        },
        $unset: { lease: "" },
      }),
    disable: (accountId, id, disabled) =>
      change(accountId, id, { $set: { disabled, updatedAt: disabled.at } }),
  };
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) throw new NameTakenError("webhook", "its URL");
    throw error;
  }
}
