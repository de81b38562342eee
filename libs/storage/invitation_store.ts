import { type Invitation, invitationSchema, type NewInvitation } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** The operations on invitations. Expired invitations are never found. */
export interface InvitationStore {
  /** Stores an invitation and replaces an earlier one of the account to the same address. */
  create(invitation: NewInvitation): Promise<void>;
  /** Finds an invitation by the SHA-256 of its token. */
  find(id: string, now: Date): Promise<Invitation | null>;
  /** Lists the invitations of an account, oldest first. */
  list(accountId: string, now: Date): Promise<Invitation[]>;
  /** Lists the invitations to an address, of all accounts. */
  listTo(email: string, now: Date): Promise<Invitation[]>;
  /** Withdraws an invitation. Returns whether it existed. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** Returns the operations on invitations. */
export function invitationStore(db: Db): InvitationStore {
  const { invitations } = collectionsOf(db);
  return {
    async create(invitation) {
      const { accountId, email, ...rest } = invitationSchema.parse(invitation);
      const to = email.toLowerCase();
      await invitations.deleteMany({ accountId, email: to });
      await invitations.insertOne({ ...rest, accountId, email: to });
    },
    async find(id, now) {
      const found = await invitations.findOne({ _id: id, expiresAt: { $gt: now } });
      return found === null ? null : invitationSchema.parse(found);
    },
    async list(accountId, now) {
      const found = await invitations.find({ accountId, expiresAt: { $gt: now } })
        .sort({ createdAt: 1 }).toArray();
      return found.map((invitation) => invitationSchema.parse(invitation));
    },
    async listTo(email, now) {
      const filter = { email: email.toLowerCase(), expiresAt: { $gt: now } };
      const found = await invitations.find(filter).sort({ createdAt: 1 }).toArray();
      return found.map((invitation) => invitationSchema.parse(invitation));
    },
    async remove(accountId, id) {
      return (await invitations.deleteOne({ _id: id, accountId })).deletedCount === 1;
    },
  };
}
