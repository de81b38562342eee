import { type NewSession, type Session, sessionSchema } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** The operations on the dashboard's sessions. */
export interface SessionStore {
  create(session: NewSession): Promise<void>;
  /** Finds a session by the SHA-256 of its cookie's token, if it has not expired and is complete. */
  find(id: string, now: Date): Promise<Session | null>;
  /** Finds a session that awaits a second factor, if it has not expired. */
  findHalf(id: string, now: Date): Promise<Session | null>;
  /** Notes that the user proved their identity again. */
  confirm(id: string, at: Date): Promise<void>;
  /** Stores the challenge that a passkey is to sign. */
  keepChallenge(id: string, challenge: string): Promise<void>;
  /** Returns the challenge that a passkey is to sign, once. */
  takeChallenge(id: string): Promise<string | null>;
  /** Notes that a session was used; with an account, also that the session shows this one from now on. */
  touch(
    id: string,
    seen: { lastSeenAt: Date; expiresAt: Date; accountId?: string },
  ): Promise<void>;
  /** Lists the sessions of a user, the most recently seen first. */
  list(userId: string, now: Date): Promise<Session[]>;
  /** Ends a session. */
  remove(id: string): Promise<void>;
  /** Ends a session of a user. Returns whether it existed. */
  removeOf(userId: string, id: string): Promise<boolean>;
  /** Ends the sessions of a user, except one. Returns how many. */
  removeAll(userId: string, options?: { except?: string }): Promise<number>;
}

/** Returns the operations on sessions. */
export function sessionStore(db: Db): SessionStore {
  const { sessions } = collectionsOf(db);
  return {
    async create(session) {
      await sessions.insertOne(sessionSchema.parse(session));
    },
    async find(id, now) {
      const found = await sessions.findOne({ _id: id, expiresAt: { $gt: now }, awaits: null });
      return found === null ? null : sessionSchema.parse(found);
    },
    async findHalf(id, now) {
      const awaits = "second_factor";
      const found = await sessions.findOne({ _id: id, expiresAt: { $gt: now }, awaits });
      return found === null ? null : sessionSchema.parse(found);
    },
    async confirm(id, at) {
      await sessions.updateOne({ _id: id }, { $set: { confirmedAt: at } });
    },
    async keepChallenge(id, challenge) {
      await sessions.updateOne({ _id: id }, { $set: { challenge } });
    },
    async takeChallenge(id) {
      const filter = { _id: id, challenge: { $ne: null } };
      const found = await sessions.findOneAndUpdate(filter, { $set: { challenge: null } });
      return found?.challenge ?? null;
    },
    async touch(id, seen) {
      await sessions.updateOne({ _id: id }, { $set: seen });
    },
    async list(userId, now) {
      const found = await sessions.find({ userId, expiresAt: { $gt: now }, awaits: null })
        .sort({ lastSeenAt: -1 }).toArray();
      return found.map((session) => sessionSchema.parse(session));
    },
    async remove(id) {
      await sessions.deleteOne({ _id: id });
    },
    async removeOf(userId, id) {
      return (await sessions.deleteOne({ _id: id, userId })).deletedCount === 1;
    },
    async removeAll(userId, { except } = {}) {
      const filter = except === undefined ? { userId } : { userId, _id: { $ne: except } };
      return (await sessions.deleteMany(filter)).deletedCount;
    },
  };
}
