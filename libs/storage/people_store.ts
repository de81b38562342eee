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

/** The user to create. */
export type NewUser =
  & Pick<User, "email" | "name" | "passwordHash">
  & Partial<Pick<User, "oidc" | "emailProvenAt" | "onlyAccountId">>;

/** The fields of a user that can be changed. */
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

/** The operations on people: users, and their membership in accounts. */
export interface PeopleStore {
  /**
   * Creates a user.
   * @throws {NameTakenError} If the address is proven, and another user has proven the same.
   */
  create(user: NewUser): Promise<User>;
  /** Returns whether there is any user yet. */
  hasAny(): Promise<boolean>;
  find(id: string): Promise<User | null>;
  /** Lists all users by address, for the operator. */
  list(): Promise<User[]>;
  /** Lists the users of an address, regardless of case: first the one who has proven it, then by age. */
  listByEmail(email: string): Promise<User[]>;
  /** Finds the user who has proven an address, regardless of case. */
  findByProvenEmail(email: string): Promise<User | null>;
  /** Finds the user of a subject at an OpenID Connect provider. */
  findByOidc(identity: NonNullable<User["oidc"]>): Promise<User | null>;
  /**
   * Changes a user. Fields that are left out stay. Returns null if there is no such user, or if a field of
   * `still` was changed meanwhile.
   * @throws {NameTakenError} If the address is proven now, and another user has proven the same.
   */
  update(
    id: string,
    changes: UserChanges,
    still?: Partial<Pick<User, "email" | "passwordHash">>,
  ): Promise<User | null>;
  /**
   * Notes that a user owns their address, by the id of the last link that was sent there. Returns null if the
   * link is another one, or has expired.
   * @throws {NameTakenError} If another user has proven the same.
   */
  proveEmail(id: string, proofId: string, at: Date): Promise<User | null>;
  /**
   * Sets a new password by the id of the last link that was sent. Returns null if the link is another one, or
   * has expired.
   */
  resetPassword(
    id: string,
    reset: { id: string; at: Date; passwordHash: string },
  ): Promise<User | null>;
  /** Notes the user agent of a browser that signs in, by its SHA-256. Returns whether it is new. */
  noteBrowser(id: string, hash: string): Promise<boolean>;
  /**
   * Notes the time step of an authenticator app's code. Returns false if it, or a later one, was used before.
   */
  takeTotpStep(id: string, step: number): Promise<boolean>;
  /** Consumes a recovery code, by its SHA-256. Returns false if there is no such code. */
  takeRecoveryCode(id: string, hash: string): Promise<boolean>;
  /** Notes a passkey's signature counter. Returns false if a higher one is known. */
  notePasskeyUse(id: string, passkeyId: string, counter: number): Promise<boolean>;
  /**
   * Changes a user's second factor from its current value, despite concurrent changes: `change` may be called
   * several times. Returns the changed user, or null if there is no such user.
   */
  changeSecondFactor(
    id: string,
    change: (current: SecondFactor) => SecondFactor,
  ): Promise<{ before: SecondFactor; after: SecondFactor } | null>;
  /** Makes a user a member of an account, or changes their role. */
  setMember(member: Pick<Member, "accountId" | "userId" | "role">): Promise<Member>;
  findMember(accountId: string, userId: string): Promise<Member | null>;
  /** Lists the members of an account with their users, oldest first. */
  listMembers(accountId: string): Promise<{ member: Member; user: User }[]>;
  /** Lists the memberships of a user. */
  listMemberships(userId: string): Promise<Member[]>;
}

const MAX_BROWSERS = 20;

/** Matches the index of proven addresses. */
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
    async update(id, changes, still = {}) {
      const options = { returnDocument: "after" } as const;
      const email = changes.email?.toLowerCase();
      const $set = email === undefined ? changes : { ...changes, email };
      try {
        return parsed(await users.findOneAndUpdate({ ...still, _id: id }, { $set }, options));
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
      // A user who signs in at a provider has no password to forget.
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
      // Authenticators that do not count always report 0.
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
 * Matches a user whose second factor was neither changed nor used. It may be missing in documents of older
 * programs.
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
