import type { User } from "@posthaste/contracts";
import type { Store, StoreGroups } from "@posthaste/storage";

/** An entry of an account's audit log about a command. */
interface NewAuditEntry {
  accountId: string;
  action: string;
  target: string;
}

/** Returns the entry about a finished operation; nothing if it changed nothing. */
type Describe<Operation> = Operation extends (...args: infer Args) => Promise<infer Result>
  ? (args: Args, result: Result) => NewAuditEntry | undefined
  : never;

/** Every operation by which a command changes data of an account. */
const AUDITED: {
  [Group in keyof StoreGroups]?: {
    [Name in keyof StoreGroups[Group]]?: Describe<StoreGroups[Group][Name]>;
  };
} = {
  accounts: {
    create: (_, { _id, name }) => entryOf(_id, "account.created", `account ${name}`),
  },
  tokens: {
    create: ([{ accountId, name }], { record }) =>
      entryOf(accountId, "token.created", `token ${name} (${record.prefix})`),
    roll: ([{ accountId }], made) =>
      made === null
        ? undefined
        : entryOf(accountId, "token.rolled", `token ${made.record.name} (${made.record.prefix})`),
    revoke: ([accountId, id], isRevoked) =>
      isRevoked ? entryOf(accountId, "token.revoked", `token ${id.slice(0, 12)}`) : undefined,
  },
  integrations: {
    create: ([{ accountId }], { id, name }) =>
      entryOf(accountId, "integration.created", `integration ${id} (${name})`),
    update: ([accountId], changed) =>
      changed === null
        ? undefined
        : entryOf(accountId, "integration.updated", `integration ${changed.id} (${changed.name})`),
    resume: ([accountId, id], isThere) =>
      isThere ? entryOf(accountId, "integration.resumed", `integration ${id}`) : undefined,
  },
  templates: {
    create: ([{ accountId, kind, name }], { id }) =>
      entryOf(accountId, "template.created", `${kind} template ${id} (${name})`),
    publish: ([{ accountId, kind, name }], { template: { id } }) =>
      entryOf(accountId, "template.published", `${kind} template ${id} (${name})`),
  },
  assets: {
    putName: ([{ accountId, name }]) => entryOf(accountId, "asset.stored", `file ${name}`),
  },
  messages: {
    retry: ([accountId, id], retried) =>
      retried === null ? undefined : entryOf(accountId, "message.retried", `message ${id}`),
  },
  retention: {
    forgetRecipient: ([accountId]) => entryOf(accountId, "recipient.forgotten", "a recipient"),
  },
};

/**
 * Every operation by which a command changes a person, with its entry for the audit logs of their accounts.
 */
const AUDITED_ON_PEOPLE = {
  updateUser: ({ passwordHash, secondFactor }: Partial<User>) =>
    passwordHash !== undefined
      ? "password.changed"
      : secondFactor !== undefined
      ? "second_factor.removed"
      : "member.updated",
  removeUser: () => "member.removed",
};

type AnyOperation = (...args: unknown[]) => Promise<unknown>;
type AnyDescribe = (args: unknown[], result: unknown) => NewAuditEntry | undefined;

/** Wraps a store: every command that changes something of an account adds an entry to its audit log. */
export function auditedStore(store: Store): Store {
  const groups = Object.entries(AUDITED).map(([group, described]) => {
    const operations = store[group as keyof StoreGroups] as unknown as Record<string, AnyOperation>;
    const audited = Object.entries(described).map(([name, describe]) => [
      name,
      auditedOperation(store, operations[name] as AnyOperation, describe as AnyDescribe),
    ]);
    return [group, { ...operations, ...Object.fromEntries(audited) }];
  });
  return {
    ...store,
    ...Object.fromEntries(groups),
    people: { ...store.people, ...auditedPeople(store) },
  };
}

function auditedOperation(
  store: Store,
  operation: AnyOperation,
  describe: AnyDescribe,
): AnyOperation {
  return async (...args) => {
    const result = await operation(...args);
    const done = describe(args, result);
    if (done !== undefined) {
      const nobody = { userId: null, userEmail: null, details: { by: "the command line" } };
      await store.audit.note({ ...done, ...nobody, at: new Date() });
    }
    return result;
  };
}

/** A person may belong to several accounts: each gets an entry. */
function auditedPeople(store: Store): Pick<Store["people"], "update" | "remove"> {
  async function tell(userId: string, action: string): Promise<() => Promise<void>> {
    // Read first: a removed person has no accounts.
    const [user, members] = await Promise.all([
      store.people.find(userId),
      store.people.listMemberships(userId),
    ]);
    return async () => {
      for (const { accountId } of members) {
        await store.audit.note({
          ...entryOf(accountId, action, user?.email ?? userId),
          ...{ userId: null, userEmail: null, details: { by: "the command line" }, at: new Date() },
        });
      }
    };
  }
  return {
    async update(id, changes, still) {
      const note = await tell(id, AUDITED_ON_PEOPLE.updateUser(changes));
      const changed = await store.people.update(id, changes, still);
      if (changed) await note();
      return changed;
    },
    async remove(id) {
      const note = await tell(id, AUDITED_ON_PEOPLE.removeUser());
      const done = await store.people.remove(id);
      if (done.ownerless.length === 0) await note();
      return done;
    },
  };
}

function entryOf(accountId: string, action: string, target: string): NewAuditEntry {
  return { accountId, action, target };
}
