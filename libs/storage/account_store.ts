import { type Account, accountSchema, newId } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { AmbiguousNameError } from "./ambiguous_name_error.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** The operations on accounts. */
export interface AccountStore {
  /**
   * Creates an account for the operator, who calls accounts by their names.
   * @throws {NameTakenError} If another account has the name.
   */
  create(account: { name: string }): Promise<Account>;
  /**
   * Finds an account by its id or, if no id matches, by its name.
   * @throws {AmbiguousNameError} If several accounts have the name. Owners choose names freely.
   */
  find(idOrName: string): Promise<Account | null>;
  /** Changes an account. Fields that are left out stay. */
  update(
    id: string,
    changes: Partial<
      Pick<Account, "name" | "retention" | "requiresSecondFactor" | "suppressRefused" | "locale">
    >,
  ): Promise<Account | null>;
  /** Lists all accounts by name. */
  list(): Promise<Account[]>;
}

/** The most accounts of one name that an error lists. */
const MAX_NAMESAKES = 10;

/** Returns the operations on accounts. */
export function accountStore(db: Db): AccountStore {
  const { accounts } = collectionsOf(db);
  return {
    async create({ name }) {
      const account = accountSchema.parse({ _id: newAccountId(), name, createdAt: new Date() });
      if (await accounts.findOne({ name }) !== null) throw new NameTakenError("account", name);
      await accounts.insertOne(account);
      return account;
    },
    async find(idOrName) {
      const byId = await accounts.findOne({ _id: idOrName });
      const found = byId === null
        ? await accounts.find({ name: idOrName }).sort({ createdAt: 1 }).limit(MAX_NAMESAKES)
          .toArray()
        : [byId];
      if (found.length > 1) throw new AmbiguousNameError(idOrName, found.map(({ _id }) => _id));
      return found[0] === undefined ? null : accountSchema.parse(found[0]);
    },
    async update(id, changes) {
      const options = { returnDocument: "after" } as const;
      const { name, retention } = accountSchema.shape;
      const $set = {
        ...(changes.name === undefined ? {} : { name: name.parse(changes.name) }),
        ...(changes.retention === undefined
          ? {}
          : { retention: retention.parse(changes.retention) }),
        ...(changes.requiresSecondFactor === undefined
          ? {}
          : { requiresSecondFactor: changes.requiresSecondFactor }),
        ...(changes.suppressRefused === undefined
          ? {}
          : { suppressRefused: changes.suppressRefused }),
        ...(changes.locale === undefined ? {} : { locale: changes.locale }),
      };
      const found = await accounts.findOneAndUpdate({ _id: id }, { $set }, options);
      return found === null ? null : accountSchema.parse(found);
    },
    async list() {
      const found = await accounts.find().sort({ name: 1 }).toArray();
      return found.map((account) => accountSchema.parse(account));
    },
  };
}

/** Returns a new random id of an account. */
export function newAccountId(): string {
  return newId("acc");
}
