/**
 * Which printed PDFs an account was given: they lie in the store by what they are printed from, and
 * anyone who knows a key is not by that the one whose it is.
 */
export interface IssuedPdfs {
  note(accountId: string, key: string): void;
  /** Returns whether the account was given it, not too long ago. */
  has(accountId: string, key: string): boolean;
}

const KEPT_MS = 30 * 60_000;
const MAX_KEYS = 200;
const MAX_ACCOUNTS = 1000;

/** Opens the memory of what was given; the oldest is forgotten first. */
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
