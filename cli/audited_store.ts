import type { User } from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";

/** What the audit log of an account says of a command. */
interface NewAuditEntry {
  accountId: string;
  action: string;
  target: string;
}

/** Of an operation that was done, what there is to say; nothing if it changed nothing. */
type Describe<Name extends keyof Store> = Store[Name] extends
  (...args: infer Args) => Promise<infer Result>
  ? (args: Args, result: Result) => NewAuditEntry | undefined
  : never;

/** Every operation by which a command changes what belongs to an account. */
const AUDITED: { [Name in keyof Store]?: Describe<Name> } = {
  createAccount: (_, { _id, name }) => entryOf(_id, "account.created", `account ${name}`),
  createToken: ([{ accountId, name }], { record }) =>
    entryOf(accountId, "token.created", `token ${name} (${record.prefix})`),
  rollToken: ([{ accountId }], made) =>
    made === null
      ? undefined
      : entryOf(accountId, "token.rolled", `token ${made.record.name} (${made.record.prefix})`),
  revokeToken: ([accountId, id], isRevoked) =>
    isRevoked ? entryOf(accountId, "token.revoked", `token ${id.slice(0, 12)}`) : undefined,
  createIntegration: ([{ accountId }], { id, name }) =>
    entryOf(accountId, "integration.created", `integration ${id} (${name})`),
  updateIntegration: ([accountId], changed) =>
    changed === null
      ? undefined
      : entryOf(accountId, "integration.updated", `integration ${changed.id} (${changed.name})`),
  resumeIntegration: ([accountId, id], isThere) =>
    isThere ? entryOf(accountId, "integration.resumed", `integration ${id}`) : undefined,
  publishVersion: ([{ accountId, kind, name }], { template: { id } }) =>
    entryOf(accountId, "template.published", `${kind} template ${id} (${name})`),
  retryMessage: ([accountId, id], retried) =>
    retried === null ? undefined : entryOf(accountId, "message.retried", `message ${id}`),
  forgetRecipient: ([accountId]) => entryOf(accountId, "recipient.forgotten", "a recipient"),
};

/** Every operation by which a command changes a person, as the audit logs of their accounts tell it. */
const AUDITED_ON_PEOPLE = {
  updateUser: ({ passwordHash, secondFactor }: Partial<User>) =>
    passwordHash !== undefined
      ? "password.changed"
      : secondFactor !== undefined
      ? "second_factor.removed"
      : "member.updated",
  removeUser: () => "member.removed",
};

/** Wraps a store: every command that changes something of an account adds an entry to its audit log. */
export function auditedStore(store: Store): Store {
  const audited = Object.entries(AUDITED).map(([name, describe]) => {
    const operation = store[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
    const operate = async (...args: unknown[]): Promise<unknown> => {
      const result = await operation(...args);
      const done = (describe as (args: unknown[], result: unknown) => NewAuditEntry | undefined)(
        args,
        result,
      );
      if (done !== undefined) {
        const nobody = { userId: null, userEmail: null, details: { by: "the command line" } };
        await store.noteAudit({ ...done, ...nobody, at: new Date() });
      }
      return result;
    };
    return [name, operate];
  });
  return { ...store, ...Object.fromEntries(audited), ...auditedPeople(store) };
}

/** A person may belong to several accounts: each is told. */
function auditedPeople(store: Store): Pick<Store, "updateUser" | "removeUser"> {
  async function tell(userId: string, action: string): Promise<() => Promise<void>> {
    // Read first: a person who is removed belongs to none.
    const [user, members] = await Promise.all([
      store.findUser(userId),
      store.listMemberships(userId),
    ]);
    return async () => {
      for (const { accountId } of members) {
        await store.noteAudit({
          ...entryOf(accountId, action, user?.email ?? userId),
          ...{ userId: null, userEmail: null, details: { by: "the command line" }, at: new Date() },
        });
      }
    };
  }
  return {
    async updateUser(id, changes) {
      const note = await tell(id, AUDITED_ON_PEOPLE.updateUser(changes));
      const changed = await store.updateUser(id, changes);
      if (changed) await note();
      return changed;
    },
    async removeUser(id) {
      const note = await tell(id, AUDITED_ON_PEOPLE.removeUser());
      const done = await store.removeUser(id);
      if (done.ownerless.length === 0) await note();
      return done;
    },
  };
}

function entryOf(accountId: string, action: string, target: string): NewAuditEntry {
  return { accountId, action, target };
}
