import type { Message, Send } from "@posthaste/contracts";
import { type Db, type Filter, Timestamp } from "mongodb";
import { collectionsOf, emailsOf } from "./_collections.ts";
import { dropIndex } from "./_drop_index.ts";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";
import { migrateFrom2 } from "./_migrate_from_2.ts";
import type { StoredRegister } from "./stored_register.ts";
import { readLedgerMark, UNMARKED } from "./ledger_version.ts";

/** Fields of a message that only version 1 wrote. */
type FirstMessage = Message & { leaseUntil?: Date | null; dotAt?: Date | null };

const BATCH_SIZE = 500;

/**
 * Migrates documents of earlier versions, one version at a time. No service may run meanwhile. It may be
 * repeated and interrupted.
 */
export async function migrateLedger(db: Db, now: Date): Promise<void> {
  const { version } = await readLedgerMark(db) ?? UNMARKED;
  if (version < 2) await migrateFrom1(db, now);
  if (version < 3) await migrateFrom2(db);
}

/**
 * Migrates version 1: messages had a document before their first outcome, claims had leases, and registers
 * did not exist. Messages in flight continue.
 */
async function migrateFrom1(db: Db, now: Date): Promise<void> {
  await freeAttempts(db);
  await convertClaims(db, now);
  const { messages } = collectionsOf(db);
  // The last two were states.
  const preparing = { state: { $in: ["queued", "rendered", "printed"] } } as Filter<Message>;
  // They have no outcome yet: their sends contain everything that is known.
  await messages.deleteMany({ ...preparing, attempt: 0 });
  await messages.updateMany(preparing, { $set: { state: "deferred", nextAt: now } });
  // Messages that waited for capacity have been due since then.
  await messages.updateMany({ parkedFor: { $gte: "" }, nextAt: null }, { $set: { nextAt: now } });
  await messages.updateMany({ releasedFor: { $exists: true } } as Filter<Message>, {
    $unset: { releasedFor: "" },
  });
  await noteEmails(db);
}

/** Moves attempts to sign in: their collection had the name that registers have now. */
async function freeAttempts(db: Db): Promise<void> {
  const attempts = db.collection("attempts");
  await attempts.deleteMany({ forgetAt: { $exists: true } });
  await dropIndex(attempts, "forgetAt_1");
}

/** Converts claims: one whose dot may have been sent becomes a register; the others are removed. */
async function convertClaims(db: Db, now: Date): Promise<void> {
  const { messages, registers } = collectionsOf(db);
  const claimed = messages.find({ state: "sending" }) as unknown as AsyncIterable<FirstMessage>;
  let found: StoredRegister[] = [];
  const flush = async () => {
    if (found.length === 0) return;
    const documents = found;
    found = [];
    await registers.insertMany(documents, { ordered: false }).catch((error) => {
      if (!hasOnlyDuplicateKeys(error)) throw error;
    });
  };
  for await (const { _id, attempt, dotAt, leaseUntil } of claimed) {
    if (!dotAt) continue;
    const waitMs = Math.max(0, (leaseUntil ?? now).getTime() - now.getTime());
    const at = new Timestamp({ t: 0, i: 0 });
    found.push({ _id: `${_id}/${attempt}`, by: "version 1", at, dot: true, waitMs });
    if (found.length === BATCH_SIZE) await flush();
  }
  await flush();
  await messages.deleteMany({ state: "sending", attempt: 1 });
  await messages.updateMany({ state: "sending" }, {
    $set: { state: "deferred", nextAt: now },
    $inc: { attempt: -1 },
    $unset: { leaseUntil: "", dotAt: "" },
  });
}

/** Notes addresses: waiting sends are found by them. */
async function noteEmails(db: Db): Promise<void> {
  const { sends } = collectionsOf(db);
  const open = sends.find({ settledAt: null, emails: { $exists: false } })
    .project<{ _id: string; request?: string }>({ request: 1 });
  for await (const { _id, request } of open) {
    if (request === undefined) continue;
    const { to }: Send["request"] = JSON.parse(request);
    await sends.updateOne({ _id, settledAt: null }, { $set: { emails: emailsOf(to) } });
  }
}
