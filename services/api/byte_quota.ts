import { HttpError } from "./http_error.ts";
import { dayOf, type StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** How many bytes of send requests one account may have accepted. */
export interface ByteQuotaLimits {
  /** Accepted on a day, UTC; 0 sets no limit. */
  daily: number;
  /** Accepted on the days whose contents are still kept; 0 sets no limit. */
  stored: number;
}

/** What the quota needs. */
export interface ByteQuotaDeps extends StorePart<"usage.list" | "usage.note"> {
  now(): Date;
  logger: Pick<Logger, "warn">;
}

/** The bytes that accounts have had accepted, over all processes. */
export interface ByteQuota extends AsyncDisposable {
  /** Reads the usage of an account. Returns undefined if this process knows it already. */
  load(accountId: string): Promise<void> | undefined;
  /**
   * Checks whether a send of this many bytes may be accepted. The account must be loaded.
   *
   * @throws {HttpError} `too_many_requests`, with the quota that is used up.
   */
  admit(accountId: string, bytes: number): void;
  /** Counts an accepted send. */
  note(accountId: string, bytes: number): void;
}

interface Account {
  /** Bytes by the first millisecond of the day, as read from the database. */
  known: Map<number, number>;
  /** The same, for bytes that are not yet written to the database. */
  pending: Map<number, number>;
  readAt: number;
}

const FLUSH_EVERY_MS = 1000;
const FRESH_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Opens the quota. Every second, the process writes to the database what it accepted, and reads what
 * the others accepted: within that time, all processes together can exceed a quota. Bytes that a
 * killed process had not written are not counted.
 */
export function openByteQuota(deps: ByteQuotaDeps, limits: ByteQuotaLimits): ByteQuota {
  const isLimited = limits.daily > 0 || limits.stored > 0;
  const accounts = new Map<string, Account>();
  let flushing = Promise.resolve();

  async function read(accountIds: readonly string[]): Promise<void> {
    const days = await deps.usage.list(accountIds);
    for (const accountId of accountIds) {
      const known = new Map<number, number>();
      const pending = accounts.get(accountId)?.pending ?? new Map();
      for (const day of days) {
        if (day.accountId === accountId) known.set(day.day.getTime(), day.bytes);
      }
      accounts.set(accountId, { known, pending, readAt: deps.now().getTime() });
    }
  }

  async function flush(): Promise<void> {
    const now = deps.now().getTime();
    const active: string[] = [];
    for (const [accountId, { pending, readAt }] of accounts) {
      if (pending.size > 0) active.push(accountId);
      else if (now - readAt > FRESH_MS) accounts.delete(accountId);
    }
    const notes = active.flatMap((accountId) => {
      const pending = accounts.get(accountId)?.pending ?? new Map<number, number>();
      return [...pending].map(([day, bytes]) => ({ accountId, at: new Date(day), bytes }));
    });
    if (notes.length === 0) return;
    await deps.usage.note(notes);
    for (const { accountId, at, bytes } of notes) {
      const account = accounts.get(accountId);
      if (account === undefined) continue;
      add(account.known, at.getTime(), bytes);
      add(account.pending, at.getTime(), -bytes);
      if (account.pending.get(at.getTime()) === 0) account.pending.delete(at.getTime());
    }
    await read(active);
  }

  function flushSoon(): Promise<void> {
    return flushing = flushing.then(flush).catch((error) => {
      deps.logger.warn("Cannot count the bytes that accounts send, retrying", { error });
    });
  }

  const timer = isLimited ? setInterval(flushSoon, FLUSH_EVERY_MS).unref() : undefined;

  return {
    load(accountId) {
      if (!isLimited || accounts.has(accountId)) return undefined;
      return read([accountId]);
    },
    admit(accountId, bytes) {
      const { known, pending } = accounts.get(accountId) ?? EMPTY;
      const now = deps.now().getTime();
      const today = dayOf(deps.now()).getTime();
      const daily = (known.get(today) ?? 0) + (pending.get(today) ?? 0) + bytes;
      if (limits.daily > 0 && daily > limits.daily) {
        throw usedUp(`${limits.daily} bytes a day (UTC)`, Math.ceil((today + DAY_MS - now) / 1000));
      }
      if (limits.stored > 0 && sum(known) + sum(pending) + bytes > limits.stored) {
        throw usedUp(`${limits.stored} bytes of stored contents`);
      }
    },
    note(accountId, bytes) {
      const account = accounts.get(accountId);
      if (account !== undefined) add(account.pending, dayOf(deps.now()).getTime(), bytes);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flushSoon();
    },
  };
}

const EMPTY: Pick<Account, "known" | "pending"> = { known: new Map(), pending: new Map() };

function add(days: Map<number, number>, day: number, bytes: number): void {
  days.set(day, (days.get(day) ?? 0) + bytes);
}

function sum(days: Map<number, number>): number {
  let total = 0;
  for (const bytes of days.values()) total += bytes;
  return total;
}

function usedUp(quota: string, retryAfter?: number): HttpError {
  return new HttpError(
    "too_many_requests",
    `Cannot accept the send: the account has used up its ${quota}`,
    retryAfter === undefined ? {} : { retryAfter },
  );
}
