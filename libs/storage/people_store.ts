import {
  type Member,
  memberSchema,
  newId,
  type SecondFactor,
  type User,
  userSchema,
} from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** Whom to create. */
export type NewUser =
  & Pick<User, "email" | "name" | "passwordHash">
  & Partial<Pick<User, "oidc" | "emailProvenAt" | "onlyAccountId">>;

/** What of a user can be changed. */
export type UserChanges = Partial<
  Pick<
    User,
    | "email"
    | "emailProvenAt"
    | "onlyAccountId"
    | "proof"
    | "name"
    | "passwordHash"
    | "secondFactor"
    | "reset"
  >
>;

/** What can be done with people: users, and their membership in accounts. */
export interface PeopleStore {
  /**
   * Creates a user.
   * @throws {NameTakenError} If the address is proven, and another has proven the same.
   */
  create(user: NewUser): Promise<User>;
  /** Returns whether there is any user yet. */
  hasAny(): Promise<boolean>;
  find(id: string): Promise<User | null>;
  /** Lists all users by address, for the operator. */
  list(): Promise<User[]>;
  /** Lists who has an address, in whatever case it is written: who has proven it first, then by age. */
  listByEmail(email: string): Promise<User[]>;
  /** Finds who has proven an address, in whatever case it is written. */
  findByProvenEmail(email: string): Promise<User | null>;
  /** Finds who signs in at an OpenID Connect provider under a subject. */
  findByOidc(identity: NonNullable<User["oidc"]>): Promise<User | null>;
  /**
   * Changes a user; what is left out stays.
   * @throws {NameTakenError} If the address is proven now, and another has proven the same.
   */
  update(id: string, changes: UserChanges): Promise<User | null>;
  /**
   * Notes that a user's address is theirs, by the link with this id that was sent there last. Gives null
   * if it was another link, or has expired.
   * @throws {NameTakenError} If another has proven the same.
   */
  proveEmail(id: string, proofId: string, at: Date): Promise<User | null>;
  /**
   * Sets a new password by the link with this id that was sent last. Gives null if it was another link, or
   * has expired.
   */
  resetPassword(
    id: string,
    reset: { id: string; at: Date; passwordHash: string },
  ): Promise<User | null>;
  /** Notes what a browser that signs in calls itself, by its SHA-256. Gives whether it is new. */
  noteBrowser(id: string, hash: string): Promise<boolean>;
  /** Notes the time step of a code of an authenticator app. Gives false if it, or a later one, was taken. */
  takeTotpStep(id: string, step: number): Promise<boolean>;
  /** Uses a recovery code up, by its SHA-256. Gives false if there is none such. */
  takeRecoveryCode(id: string, hash: string): Promise<boolean>;
  /** Notes how often a passkey has signed. Gives false if it has signed more often already. */
  notePasskeyUse(id: string, passkeyId: string, counter: number): Promise<boolean>;
  /**
   * Changes a user's second factor by what it is now, no matter who else changes it: the change may be asked for
   * again. Gives what was changed, and null if there is no such user.
   */
  changeSecondFactor(
    id: string,
    change: (current: SecondFactor) => SecondFactor,
  ): Promise<{ before: SecondFactor; after: SecondFactor } | null>;
  /** Makes a user a member of an account, or gives them another role. */
  setMember(member: Pick<Member, "accountId" | "userId" | "role">): Promise<Member>;
  findMember(accountId: string, userId: string): Promise<Member | null>;
  /** Lists the members of an account with their users, oldest first. */
  listMembers(accountId: string): Promise<{ member: Member; user: User }[]>;
  /** Lists what a user is a member of. */
  listMemberships(userId: string): Promise<Member[]>;
}

const MAX_BROWSERS = 20;

/** Fits the index of proven addresses. */
const PROVEN = { $gte: new Date(0) };

/** Returns the operations on people. */
export function peopleStore(db: Db): PeopleStore {
  const { users, members } = collectionsOf(db);
  const parsed = (found: User | null) => found === null ? null : userSchema.parse(found);
  return {
    async create(newUser) {
      const user = userOf(newUser);
      try {
        await users.insertOne(user);
      } catch (error) {
        throw isDuplicateKey(error) ? new NameTakenError("user", user.email) : error;
      }
      return user;
    },
    hasAny: async () => await users.countDocuments({}, { limit: 1 }) > 0,
    async list() {
      const found = await users.find().sort({ email: 1 }).toArray();
      return found.map((user) => userSchema.parse(user));
    },
    find: async (id) => parsed(await users.findOne({ _id: id })),
    async listByEmail(email) {
      const found = await users.find({ email: email.toLowerCase() })
        .sort({ createdAt: 1 }).toArray();
      const all = found.map((user) => userSchema.parse(user));
      return all.toSorted((a, b) =>
        Number(b.emailProvenAt !== null) - Number(a.emailProvenAt !== null)
      );
    },
    findByProvenEmail: async (email) =>
      parsed(await users.findOne({ email: email.toLowerCase(), emailProvenAt: PROVEN })),
    findByOidc: async ({ issuer, subject }) =>
      parsed(await users.findOne({ "oidc.issuer": issuer, "oidc.subject": subject })),
    async update(id, changes) {
      const options = { returnDocument: "after" } as const;
      const email = changes.email?.toLowerCase();
      const $set = email === undefined ? changes : { ...changes, email };
      try {
        return parsed(await users.findOneAndUpdate({ _id: id }, { $set }, options));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const taken = email ?? (await users.findOne({ _id: id }))?.email ?? id;
        throw new NameTakenError("user", taken);
      }
    },
    async proveEmail(id, proofId, at) {
      const filter = { _id: id, "proof.id": proofId, "proof.expiresAt": { $gt: at } };
      const $set = { emailProvenAt: at, onlyAccountId: null, proof: null };
      try {
        return parsed(await users.findOneAndUpdate(filter, { $set }, { returnDocument: "after" }));
      } catch (error) {
        throw isDuplicateKey(error) ? new NameTakenError("user", id) : error;
      }
    },
    async resetPassword(_id, { id, at, passwordHash }) {
      // Who signs in at a provider has none to forget.
      const password = { $ne: null };
      const filter = {
        _id,
        "reset.id": id,
        "reset.expiresAt": { $gt: at },
        passwordHash: password,
      };
      const $set = { passwordHash, reset: null };
      return parsed(await users.findOneAndUpdate(filter, { $set }, { returnDocument: "after" }));
    },
    async noteBrowser(id, hash) {
      const $push = { knownBrowsers: { $each: [hash], $slice: -MAX_BROWSERS } };
      const filter = { _id: id, knownBrowsers: { $ne: hash } };
      return (await users.updateOne(filter, { $push })).modifiedCount === 1;
    },
    async takeTotpStep(id, step) {
      const result = await users.updateOne(
        { _id: id, "secondFactor.totp.lastStep": { $lt: step } },
        { $set: { "secondFactor.totp.lastStep": step } },
      );
      return result.modifiedCount === 1;
    },
    async takeRecoveryCode(id, hash) {
      const result = await users.updateOne(
        { _id: id, "secondFactor.recoveryCodes": hash },
        { $pull: { "secondFactor.recoveryCodes": hash } },
      );
      return result.modifiedCount === 1;
    },
    async notePasskeyUse(id, passkeyId, counter) {
      // Authenticators that do not count say 0 for ever.
      const before = counter === 0 ? { $eq: 0 } : { $lt: counter };
      const passkeys = { $elemMatch: { id: passkeyId, counter: before } };
      const result = await users.updateOne(
        { _id: id, "secondFactor.passkeys": passkeys },
        { $set: { "secondFactor.passkeys.$.counter": counter } },
      );
      return result.matchedCount === 1;
    },
    async changeSecondFactor(id, change) {
      for (;;) {
        const user = parsed(await users.findOne({ _id: id }));
        if (user === null) return null;
        const { secondFactor: before } = user;
        const after = change(before);
        const { matchedCount } = await users.updateOne({ _id: id, ...isStill(before) }, {
          $set: { secondFactor: after },
        });
        if (matchedCount === 1) return { before, after };
      }
    },
    async setMember({ accountId, userId, role }) {
      const _id = `${accountId}/${userId}`;
      const found = await members.findOneAndUpdate(
        { _id },
        { $set: { role }, $setOnInsert: { accountId, userId, createdAt: new Date() } },
        { upsert: true, returnDocument: "after" },
      );
      return memberSchema.parse(found);
    },
    async findMember(accountId, userId) {
      const found = await members.findOne({ _id: `${accountId}/${userId}` });
      return found === null ? null : memberSchema.parse(found);
    },
    async listMembers(accountId) {
      const found = await members.find({ accountId }).sort({ createdAt: 1 }).toArray();
      const people = await users.find({ _id: { $in: found.map(({ userId }) => userId) } })
        .toArray();
      const byId = new Map(people.map((user) => [user._id, userSchema.parse(user)]));
      return found.flatMap((member) => {
        const user = byId.get(member.userId);
        return user === undefined ? [] : [{ member: memberSchema.parse(member), user }];
      });
    },
    async listMemberships(userId) {
      const found = await members.find({ userId }).sort({ createdAt: 1 }).toArray();
      return found.map((member) => memberSchema.parse(member));
    },
  };
}

/** Makes the document of a new user. */
export function userOf({ email, ...rest }: NewUser): User {
  const _id = newId("usr");
  const createdAt = new Date();
  return userSchema.parse({ ...rest, _id, email: email.toLowerCase(), createdAt });
}

/**
 * Fits a user whose second factor nobody has changed or used. It may be missing in what older programs
 * wrote.
 */
function isStill({ totp, passkeys, recoveryCodes }: SecondFactor): Filter<User> {
  const known = passkeys.map(({ id, counter }) => ({ $elemMatch: { id, counter } }));
  const same: Filter<User> = {
    "secondFactor.passkeys": { $size: known.length, ...(known.length > 0 ? { $all: known } : {}) },
    "secondFactor.recoveryCodes": { $size: recoveryCodes.length },
    ...(totp === null ? { "secondFactor.totp": null } : {
      "secondFactor.totp.secret": totp.secret,
      "secondFactor.totp.lastStep": totp.lastStep,
    }),
  };
  const isEmpty = totp === null && passkeys.length === 0 && recoveryCodes.length === 0;
  return isEmpty ? { $or: [same, { secondFactor: { $exists: false } }] } : same;
}
