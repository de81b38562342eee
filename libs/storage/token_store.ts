import {
  type AccessToken,
  accessTokenSchema,
  type TokenLimits,
  tokenLimitsSchema,
  type TokenScope,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { generateAccessToken, hashAccessToken, isAccessToken, prefixOf } from "./access_token.ts";

const TOUCH_EVERY_MS = 60_000;

/** The settings of a new token. */
export interface NewToken {
  accountId: string;
  name: string;
  scopes: TokenScope[];
  /** The token never expires if this is left out. */
  expiresAt?: Date | null | undefined;
  /** The user who creates it; none if left out. */
  createdBy?: string | null | undefined;
  /** Id of the token that creates it; none if left out. */
  madeBy?: string | undefined;
  /** No limits if left out. */
  limits?: Partial<TokenLimits> | undefined;
}

/** A token that replaces another. */
export interface TokenRoll {
  accountId: string;
  /** Id of the record of the old token. */
  id: string;
  /** Until when the old token also works. */
  until: Date;
  createdBy?: string | null | undefined;
  /** Id of the token that rolls it; none if left out. */
  madeBy?: string | undefined;
}

/** The operations on access tokens. */
export interface TokenStore {
  /**
   * Creates a token. Its plain text is returned only here and stored nowhere. A token whose maker was revoked
   * meanwhile is revoked, too.
   */
  create(token: NewToken): Promise<{ token: string; record: AccessToken }>;
  /**
   * Finds the record of a plain token; `null` if it is unknown, expired or revoked. A text with a
   * wrong checksum is refused without I/O.
   */
  find(token: string): Promise<AccessToken | null>;
  /** Notes that a token was used, at most once a minute. */
  touch(token: Pick<AccessToken, "_id" | "lastUsedAt">, now?: Date): Promise<void>;
  /** Lists the tokens of an account, oldest first, with revoked and expired ones. */
  list(accountId: string): Promise<AccessToken[]>;
  /**
   * Creates a token with the settings of another, which then expires. The new token lives as long as the old
   * one would have. Tokens that the old one has made belong to the new one. Returns null if there is no such
   * valid token.
   */
  roll(roll: TokenRoll): Promise<{ token: string; record: AccessToken } | null>;
  /** Lists tokens of all accounts that expire before a time and whose owners were not reminded. */
  listExpiring(before: Date, limit: number): Promise<AccessToken[]>;
  /** Notes that owners are reminded of a token. Returns false if another process has noted it. */
  noteReminder(id: string, at: Date): Promise<boolean>;
  /**
   * Revokes a token by its record's id, and the tokens that it has made. Returns how many were revoked: 0 if
   * there is no such token, or it was revoked before.
   */
  revoke(accountId: string, id: string): Promise<number>;
}

/** Returns whether a token may be used at a time: neither expired nor revoked. */
export function isLive(
  token: Pick<AccessToken, "expiresAt" | "revokedAt">,
  now: Date = new Date(),
): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
}

/** Returns the operations on access tokens. */
export function tokenStore(db: Db): TokenStore {
  const { tokens } = collectionsOf(db);
  const store: TokenStore = {
    async create({ accountId, name, scopes, limits, ...rest }) {
      const { expiresAt = null, createdBy = null, madeBy } = rest;
      const token = generateAccessToken();
      const record = accessTokenSchema.parse({
        _id: hashAccessToken(token),
        accountId,
        name,
        prefix: prefixOf(token),
        scopes,
        createdAt: new Date(),
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        createdBy,
        ...(madeBy === undefined ? {} : { madeBy }),
        ...limits,
      });
      await tokens.insertOne(record);
      // A revocation before this look has not seen the new token; a later one does.
      if (madeBy !== undefined && await tokens.findOne({ _id: madeBy, revokedAt: null }) === null) {
        await store.revoke(accountId, record._id);
      }
      return { token, record };
    },
    async roll({ accountId, id, until, createdBy, madeBy }) {
      const found = await tokens.findOne({ _id: id, accountId });
      if (found === null || !isLive(found)) return null;
      const { name, scopes, createdAt, expiresAt, ...rest } = accessTokenSchema.parse(found);
      const made = await store.create({
        ...{ accountId, name, scopes, createdBy, madeBy, limits: tokenLimitsSchema.parse(rest) },
        expiresAt: expiresAt &&
          new Date(Date.now() + expiresAt.getTime() - createdAt.getTime()),
      });
      // An earlier end is not postponed. The caller knows the end, so no reminder is sent.
      const later = [{ expiresAt: null }, { expiresAt: { $gt: until } }];
      await tokens.updateOne({ _id: id, accountId, $or: later }, {
        $set: { expiresAt: until, remindedAt: new Date() },
      });
      await tokens.updateMany({ accountId, madeBy: id }, { $set: { madeBy: made.record._id } });
      return made;
    },
    async listExpiring(before, limit) {
      const found = await tokens.find({
        expiresAt: { $gt: new Date(), $lte: before },
        ...{ revokedAt: null, remindedAt: { $exists: false } },
      }).sort({ expiresAt: 1 }).limit(limit).toArray();
      return found.map((token) => accessTokenSchema.parse(token));
    },
    async noteReminder(id, at) {
      const { modifiedCount } = await tokens.updateOne(
        { _id: id, remindedAt: { $exists: false } },
        { $set: { remindedAt: at } },
      );
      return modifiedCount === 1;
    },
    async find(token) {
      if (!isAccessToken(token)) return null;
      const found = await tokens.findOne({ _id: hashAccessToken(token) });
      return found !== null && isLive(found) ? accessTokenSchema.parse(found) : null;
    },
    async touch({ _id, lastUsedAt }, now = new Date()) {
      const before = new Date(now.getTime() - TOUCH_EVERY_MS);
      if (lastUsedAt !== null && lastUsedAt > before) return;
      await tokens.updateOne(
        { _id, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: before } }] },
        { $set: { lastUsedAt: now } },
      );
    },
    async list(accountId) {
      const found = await tokens.find({ accountId }).sort({ createdAt: 1 }).toArray();
      return found.map((token) => accessTokenSchema.parse(token));
    },
    async revoke(accountId, id) {
      const revoking = { $set: { revokedAt: new Date() } };
      const { modifiedCount } = await tokens.updateOne(
        { _id: id, accountId, revokedAt: null },
        revoking,
      );
      const made = await tokens.updateMany({ accountId, madeBy: id, revokedAt: null }, revoking);
      return modifiedCount + made.modifiedCount;
    },
  };
  return store;
}
