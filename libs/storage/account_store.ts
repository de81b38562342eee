import { type Account, accountSchema, newId } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** What can be done with accounts. */
export interface AccountStore {
  /**
   * Creates an account.
   * @throws {NameTakenError} If another has the name.
   */
  createAccount(account: { name: string }): Promise<Account>;
  /** Finds an account by its id or, if none has it, by its name. */
  findAccount(idOrName: string): Promise<Account | null>;
  /**
   * Changes an account; what is left out stays.
   * @throws {NameTakenError} If another has the name.
   */
  updateAccount(
    id: string,
    changes: Partial<Pick<Account, "name" | "retention">>,
  ): Promise<Account | null>;
  /** Lists all accounts by name. */
  listAccounts(): Promise<Account[]>;
}

/** Gives the operations on accounts. */
export function accountStore(db: Db): AccountStore {
  const { accounts } = collectionsOf(db);
  return {
    async createAccount({ name }) {
      const account = accountSchema.parse({ _id: newAccountId(), name, createdAt: new Date() });
      try {
        await accounts.insertOne(account);
      } catch (error) {
        throw isDuplicateKey(error) ? new NameTakenError("account", name) : error;
      }
      return account;
    },
    async findAccount(idOrName) {
      const found = await accounts.findOne({ _id: idOrName }) ??
        await accounts.findOne({ name: idOrName });
      return found === null ? null : accountSchema.parse(found);
    },
    async updateAccount(id, changes) {
      const options = { returnDocument: "after" } as const;
      const { name, retention } = accountSchema.shape;
      const $set = {
        ...(changes.name === undefined ? {} : { name: name.parse(changes.name) }),
        ...(changes.retention === undefined
          ? {}
          : { retention: retention.parse(changes.retention) }),
      };
      try {
        const found = await accounts.findOneAndUpdate({ _id: id }, { $set }, options);
        return found === null ? null : accountSchema.parse(found);
      } catch (error) {
        throw isDuplicateKey(error) ? new NameTakenError("account", changes.name ?? "") : error;
      }
    },
    async listAccounts() {
      const found = await accounts.find().sort({ name: 1 }).toArray();
      return found.map((account) => accountSchema.parse(account));
    },
  };
}

/** Draws the id of an account. */
export function newAccountId(): string {
  return newId("acc");
}
