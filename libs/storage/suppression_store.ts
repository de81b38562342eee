import { hash } from "node:crypto";
import { domainToASCII } from "node:url";
import type { Suppression } from "@posthaste/contracts";
import { LRUCache } from "lru-cache";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { escaped } from "./_escaped.ts";
import { SuppressionsFullError } from "./suppressions_full_error.ts";

/** An address for the list. */
export type NewSuppression =
  & Pick<Suppression, "reason" | "reply" | "messageId" | "at" | "expiresAt">
  & { email: string };

/** A page of the list. */
export interface SuppressionPage {
  limit: number;
  /** The last address of the page before. */
  after?: string | undefined;
  /** How the addresses begin. */
  prefix?: string | undefined;
  /** What the addresses contain. No index helps: it is searched for 5 seconds at most. */
  part?: string | undefined;
  now: Date;
}

/** An entry that has an address. */
export type ListedSuppression = Suppression & { email: string };

/** Addresses that accounts send no mail to. */
export interface SuppressionStore {
  /**
   * Puts addresses on the list, or replaces their entries. Returns how many are new. Requests at the same time can
   * exceed the maximum by what they add.
   *
   * @throws {SuppressionsFullError} If the new ones do not fit. None is added then.
   */
  add(
    accountId: string,
    added: readonly NewSuppression[],
    limit: { max: number },
  ): Promise<number>;
  /**
   * Puts an address that a server refused on the list, unless it is there, or the account declines. Returns
   * whether it was added.
   */
  noteRefused(accountId: string, suppression: NewSuppression): Promise<boolean>;
  /** Takes addresses from the list. Returns how many were there. */
  remove(accountId: string, emails: readonly string[]): Promise<number>;
  /** Returns the entries that apply to some addresses now, by {@linkcode suppressedFormOf} the address. */
  among(
    accountId: string,
    emails: readonly string[],
    now: Date,
  ): Promise<Map<string, Suppression>>;
  /** Lists addresses in their order; entries of forgotten people are left out. */
  list(accountId: string, page: SuppressionPage): Promise<ListedSuppression[]>;
  /** Returns what a list without limits would have. */
  all(accountId: string, now: Date): AsyncGenerator<ListedSuppression>;
  /** Returns how many entries an account has, with those of forgotten people. */
  count(accountId: string): Promise<number>;
  /** Returns whether an account has any entry. */
  hasAny(accountId: string): Promise<boolean>;
}

/**
 * Returns the form in which addresses are compared: in lower case, and the domain in ASCII, as a mail gets the
 * same mailbox by either of its forms (RFC 5891).
 */
export function suppressedFormOf(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at);
  const ascii = NOT_ASCII.test(domain) ? domainToASCII(domain) : "";
  return `${email.slice(0, at)}${ascii || domain}`.toLowerCase();
}

const NOT_ASCII = /[^\p{ASCII}]/u;

/** Returns the form in which addresses are listed and searched. */
function listedFormOf(email: string): string {
  return email.toLowerCase();
}

/** Returns the `_id` of the entry of an address. It does not contain the address, which may be forgotten. */
function suppressionIdOf(accountId: string, email: string): string {
  return idOf(accountId, suppressedFormOf(email));
}

function idOf(accountId: string, form: string): string {
  return `${accountId}/${hash("sha256", `${accountId}/${form}`, "hex")}`;
}

/** Returns the ids that the entry of an address may have: earlier versions left international domains as they were. */
function idsOf(accountId: string, email: string): string[] {
  return [...new Set([suppressedFormOf(email), listedFormOf(email)])]
    .map((form) => idOf(accountId, form));
}

const SEARCH_MS = 5000;

function notEnded(now: Date) {
  return { $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }] };
}

function listed(entry: Suppression): ListedSuppression {
  return { ...entry, email: entry.email ?? "" };
}

/** Returns the operations on suppressed addresses. */
export function suppressionStore(db: Db): SuppressionStore {
  const { suppressions, accounts } = collectionsOf(db);

  const documentOf = (accountId: string, { email, ...rest }: NewSuppression): Suppression => ({
    ...{ _id: suppressionIdOf(accountId, email), accountId, email: listedFormOf(email) },
    ...rest,
  });

  return {
    async add(accountId, added, { max }) {
      // An address that is named twice gets the last entry.
      const documents = new Map(added.map((one) => {
        const { _id, ...replacement } = documentOf(accountId, one);
        return [_id, replacement];
      }));
      if (documents.size === 0) return 0;
      const ids = [...documents.keys()];
      const known = await suppressions.countDocuments({ _id: { $in: ids }, accountId });
      const fresh = ids.length - known;
      if (fresh > 0) {
        const entries = await suppressions.countDocuments({ accountId });
        if (entries + fresh > max) throw new SuppressionsFullError({ entries, max, added: fresh });
      }
      const operations = [...documents].map(([_id, replacement]) => ({
        replaceOne: { filter: { _id, accountId }, replacement, upsert: true },
      }));
      return (await suppressions.bulkWrite(operations, { ordered: false })).upsertedCount;
    },
    async noteRefused(accountId, suppression) {
      const account = await accounts.findOne({ _id: accountId }, {
        projection: { suppressRefused: 1 },
      });
      if (account?.suppressRefused === false) return false;
      try {
        await suppressions.insertOne(documentOf(accountId, suppression));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async remove(accountId, emails) {
      const ids = emails.flatMap((email) => idsOf(accountId, email));
      return (await suppressions.deleteMany({ _id: { $in: ids }, accountId })).deletedCount;
    },
    async among(accountId, emails, now) {
      const byId = new Map(
        emails.flatMap((email) =>
          idsOf(accountId, email).map((id) => [id, suppressedFormOf(email)] as const)
        ),
      );
      const found = await suppressions.find({ _id: { $in: [...byId.keys()] }, accountId })
        .toArray();
      return new Map(
        found.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
          .map((suppression) => [byId.get(suppression._id) ?? "", suppression]),
      );
    },
    async list(accountId, { limit, after = "", prefix = "", part = "", now }) {
      const from = listedFormOf(prefix);
      const email = {
        ...(after >= from && after !== "" ? { $gt: after } : { $gte: from }),
        $lt: `${from}\u{10ffff}`,
        ...(part === "" ? {} : { $regex: escaped(listedFormOf(part)) }),
      };
      const found = await suppressions.find({ accountId, email, ...notEnded(now) })
        .sort({ email: 1 }).limit(limit).maxTimeMS(SEARCH_MS).toArray();
      return found.map(listed);
    },
    async *all(accountId, now) {
      const email = { $gte: "" };
      const found = suppressions.find({ accountId, email, ...notEnded(now) }).sort({ email: 1 });
      for await (const entry of found) yield listed(entry);
    },
    count: (accountId) => suppressions.countDocuments({ accountId }),
    async hasAny(accountId) {
      return await suppressions.findOne({ accountId }, { projection: { _id: 1 } }) !== null;
    },
  };
}

const MAX_ACCOUNTS = 10_000;

/**
 * Returns `among` that asks nothing for accounts without a list. Whether an account has one is at most `ttlMs`
 * milliseconds old (5 s).
 */
export function openSuppressionLookup(
  { among, hasAny }: Pick<SuppressionStore, "among" | "hasAny">,
  { ttlMs = 5000 }: { ttlMs?: number } = {},
): SuppressionStore["among"] {
  const known = new LRUCache<string, { any: boolean }>({
    max: MAX_ACCOUNTS,
    ttl: ttlMs,
    ignoreFetchAbort: true,
    fetchMethod: async (accountId) => ({ any: await hasAny(accountId) }),
  });
  return async (accountId, emails, now) => {
    const { any } = await known.forceFetch(accountId);
    return any ? await among(accountId, emails, now) : new Map();
  };
}
