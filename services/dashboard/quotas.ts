import { HttpError } from "./http_error.ts";

/** How much people may make: without a limit one of them can fill the database of all. */
export interface Quotas {
  /** Members of an account, with those who are invited. */
  members: number;
  /** Accounts that one person owns. */
  accounts: number;
  /** Templates of an account, of either kind. */
  templates: number;
}

/** Where the operator has set nothing. */
export const QUOTAS: Readonly<Quotas> = { members: 500, accounts: 20, templates: 1000 };

/**
 * Refuses what would be one too many. Of several requests at once each may count before the others: the
 * limit is passed by a few then.
 *
 * @throws {HttpError} `conflict`
 */
export function requireRoom(count: number, max: number, full: string): void {
  if (count >= max) throw new HttpError("conflict", full);
}
