import { HttpError } from "./http_error.ts";

/** How many objects people may create: without limits, one person could fill the database. */
export interface Quotas {
  /** Members of an account, including invited ones. */
  members: number;
  /** Accounts that one person owns. */
  accounts: number;
  /** Templates of an account, of either kind. */
  templates: number;
  /** Active tokens of an account: each has a rate of its own. */
  tokens: number;
  /** SMTP integrations of an account. */
  integrations: number;
  /** Bytes of the files that an account keeps, together. */
  assetBytes: number;
  /** Entries on the suppression list of an account. */
  suppressions: number;
}

/** Quotas if the operator sets none. */
export const QUOTAS: Readonly<Quotas> = {
  ...{
    members: 500,
    accounts: 20,
    templates: 1000,
    tokens: 500,
    integrations: 500,
    assetBytes: 100_000_000,
    suppressions: 1_000_000,
  },
};

/**
 * Refuses an object beyond a quota. Concurrent requests may each count before the others write, so
 * a few can exceed it.
 *
 * @throws {HttpError} `conflict`
 */
export function requireQuota(count: number, max: number, full: string): void {
  if (count >= max) throw new HttpError("conflict", full);
}
