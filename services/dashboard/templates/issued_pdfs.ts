/**
 * Records which printed PDFs an account received. They are stored under keys derived from their
 * sources, so knowing a key does not prove the right to read it.
 */
export interface IssuedPdfs {
  note(accountId: string, key: string): void;
  /** Returns whether the account received it recently. */
  has(accountId: string, key: string): boolean;
}

const KEPT_MS = 30 * 60_000;
const MAX_KEYS = 200;
const MAX_ACCOUNTS = 1000;

/** Opens the record, in memory; it drops the oldest entries first. */
export function openIssuedPdfs({ now }: { now(): Date }): IssuedPdfs {
  const accounts = new Map<string, Map<string, number>>();
  return {
    note(accountId, key) {
      const keys = accounts.get(accountId) ?? new Map<string, number>();
      accounts.delete(accountId);
      accounts.set(accountId, keys);
      keys.delete(key);
      keys.set(key, now().getTime());
      forgetOldest(keys, MAX_KEYS);
      forgetOldest(accounts, MAX_ACCOUNTS);
    },
    has(accountId, key) {
      const at = accounts.get(accountId)?.get(key);
      return at !== undefined && now().getTime() - at < KEPT_MS;
    },
  };
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
