import {
  type Account,
  accountSchema,
  includesRole,
  type Invitation,
  type Member,
  memberSchema,
  NO_SECOND_FACTOR,
  type Role,
  type User,
  userSchema,
} from "@posthaste/contracts";
import type { ClientSession, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { oneAtATime } from "./_one_at_a_time.ts";
import { newAccountId } from "./account_store.ts";
import { NameTakenError } from "./name_taken_error.ts";
import { type NewUser, userOf } from "./people_store.ts";

/** The result of a change. An account keeps an owner, even after concurrent changes. */
export type MembershipChange = "done" | "no_member" | "last_owner";

/** The user of an invitation: an existing one, or a new one. */
export type Joining = { userId: string } | { newUser: NewUser };

/** Operations on memberships that must keep several documents consistent. */
export interface MembershipStore {
  /**
   * Creates the first user, as the owner of an account of this name. An account that the command line created
   * already is reused. Returns null, and does nothing, if there is a user.
   */
  setUp(first: { accountName: string; user: NewUser }): Promise<FirstAccount | null>;
  /**
   * Creates an account with its owner. Several accounts may have one name, so this reveals no other account.
   */
  createOwnedAccount(account: { name: string; userId: string }): Promise<Account>;
  /** Changes the role of a member. Who is no owner any more invites nobody: their open invitations end. */
  changeRole(accountId: string, userId: string, role: Role): Promise<MembershipChange>;
  /**
   * Ends a membership, and the open invitations that the member made. A user whose memberships are only in this
   * account is removed with it.
   */
  removeMember(accountId: string, userId: string): Promise<MembershipChange>;
  /**
   * Links a user to an OpenID Connect provider and disables every earlier way to sign in: the password and
   * the sessions end. Returns null if the address is not verified, or the user is linked already.
   */
  link(userId: string, oidc: NonNullable<User["oidc"]>): Promise<User | null>;
  /**
   * Removes a user permanently, with their memberships and sessions; audit logs keep their actions. If an
   * account would lose its last owner, returns such accounts and does nothing.
   */
  remove(userId: string): Promise<{ ownerless: string[] }>;
  /**
   * Consumes an invitation. An existing member keeps a higher role. Returns null if the invitation does not
   * exist any more, or its inviter is no owner any more.
   * @throws {NameTakenError} If the new user has a proven address that another user has proven.
   */
  acceptInvitation(
    invitation: Pick<Invitation, "_id" | "accountId">,
    joining: Joining,
  ): Promise<{ member: Member; user: User } | null>;
}

/** The first account, and its owner. */
export interface FirstAccount {
  account: Account;
  user: User;
}

/** Returns the operations on memberships. */
export function membershipStore(db: Db): MembershipStore {
  const { accounts, users, members, invitations, sessions } = collectionsOf(db);

  async function addUser(newUser: NewUser, session: ClientSession): Promise<User> {
    const user = userOf(newUser);
    try {
      await users.insertOne(user, { session });
    } catch (error) {
      throw isDuplicateKey(error) ? new NameTakenError("user", user.email) : error;
    }
    return user;
  }

  async function addAccount(name: string, session: ClientSession): Promise<Account> {
    const account = accountSchema.parse({ _id: newAccountId(), name, createdAt: new Date() });
    await accounts.insertOne(account, { session });
    return account;
  }

  async function addOwner(
    { accountId, userId }: Pick<Member, "accountId" | "userId">,
    session: ClientSession,
  ): Promise<void> {
    const member = { _id: `${accountId}/${userId}`, accountId, userId, role: "owner" };
    await members.insertOne(memberSchema.parse({ ...member, createdAt: new Date() }), { session });
  }

  /** Changes a member, unless the account would lose its last owner. */
  async function unlessLast(
    { accountId, userId }: Pick<Member, "accountId" | "userId">,
    change: (_id: string, session: ClientSession) => Promise<unknown>,
  ): Promise<MembershipChange> {
    const _id = `${accountId}/${userId}`;
    return await oneAtATime(db, { lock: `${accountId}/owners` }, async (session) => {
      const found = await members.findOne({ _id }, { session });
      if (found === null) return "no_member";
      await change(_id, session);
      if (!await isOwner(_id, session)) {
        await invitations.deleteMany({ accountId, invitedBy: userId }, { session });
      }
      const owner = await members.findOne({ accountId, role: "owner" }, { session });
      if (owner !== null || found.role !== "owner") return "done";
      await session.abortTransaction();
      return "last_owner";
    });
  }

  async function isOwner(_id: string, session: ClientSession): Promise<boolean> {
    return await members.findOne({ _id, role: "owner" }, { session }) !== null;
  }

  return {
    setUp: ({ accountName, user: newUser }) =>
      oneAtATime(db, { lock: "setup" }, async (session) => {
        if (await users.findOne({}, { session }) !== null) return null;
        const found = await accounts.findOne({ name: accountName }, { session });
        const account = found === null
          ? await addAccount(accountName, session)
          : accountSchema.parse(found);
        const user = await addUser(newUser, session);
        await addOwner({ accountId: account._id, userId: user._id }, session);
        return { account, user };
      }),
    createOwnedAccount: ({ name, userId }) =>
      oneAtATime(db, { lock: `${userId}/accounts` }, async (session) => {
        const account = await addAccount(name, session);
        await addOwner({ accountId: account._id, userId }, session);
        return account;
      }),
    changeRole: (accountId, userId, role) =>
      unlessLast(
        { accountId, userId },
        (_id, session) => members.updateOne({ _id }, { $set: { role } }, { session }),
      ),
    removeMember: (accountId, userId) =>
      unlessLast({ accountId, userId }, async (_id, session) => {
        await members.deleteOne({ _id }, { session });
        const { deletedCount } = await users.deleteOne(
          { _id: userId, onlyAccountId: accountId },
          { session },
        );
        if (deletedCount > 0) await sessions.deleteMany({ userId }, { session });
      }),
    link: (userId, oidc) =>
      oneAtATime(db, { lock: `${userId}/link` }, async (session) => {
        const filter = { _id: userId, emailProvenAt: { $gte: new Date(0) }, oidc: null };
        const found = await users.findOneAndUpdate(
          filter,
          { $set: { oidc, passwordHash: null, secondFactor: { ...NO_SECOND_FACTOR } } },
          { returnDocument: "after", session },
        );
        if (found === null) return null;
        await sessions.deleteMany({ userId }, { session });
        return userSchema.parse(found);
      }),
    async remove(userId) {
      const left = await members.find({ userId }).toArray();
      // One account after another: each has a lock of its own, and a failure is retried.
      const ownerless: string[] = [];
      for (const { accountId, role } of left) {
        if (role !== "owner") continue;
        const other = { accountId, role, userId: { $ne: userId } } as const;
        if (await members.findOne(other) === null) ownerless.push(accountId);
      }
      if (ownerless.length > 0) return { ownerless };
      for (const { accountId } of left) {
        const change = await unlessLast(
          { accountId, userId },
          (_id, session) => members.deleteOne({ _id }, { session }),
        );
        if (change === "last_owner") ownerless.push(accountId);
      }
      if (ownerless.length > 0) return { ownerless };
      await sessions.deleteMany({ userId });
      await users.deleteOne({ _id: userId });
      return { ownerless };
    },
    acceptInvitation: ({ _id: id, accountId }, joining) =>
      oneAtATime(db, { lock: `${accountId}/owners` }, async (session) => {
        const used = await invitations.findOneAndDelete({ _id: id, accountId }, { session });
        if (used === null) return null;
        // Written while the inviter was removed: otherwise they could return by their own invitation.
        if (!await isOwner(`${accountId}/${used.invitedBy}`, session)) return null;
        const user = "newUser" in joining
          ? await addUser(joining.newUser, session)
          : userSchema.parse(await users.findOne({ _id: joining.userId }, { session }));
        const _id = `${accountId}/${user._id}`;
        const found = await members.findOne({ _id }, { session });
        const role = found !== null && includesRole(found.role, used.role) ? found.role : used.role;
        const member = await members.findOneAndUpdate(
          { _id },
          {
            $set: { role },
            $setOnInsert: { accountId, userId: user._id, createdAt: new Date() },
          },
          { upsert: true, returnDocument: "after", session },
        );
        return { member: memberSchema.parse(member), user };
      }),
  };
}
