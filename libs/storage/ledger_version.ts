import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { LedgerMark } from "./_ledger_mark.ts";

/**
 * Version of the documents that this program writes. It grows when an earlier program could not read what is
 * written now. A new optional field is no reason.
 */
export const LEDGER_VERSION = 3;

/** The oldest documents that this program reads. A migration must have updated older ones. */
const OLDEST_READ = 3;

/** The version of the oldest program that may run beside this one. */
const OLDEST_BESIDE = 3;

/** The versions that a program supports. */
export interface ProgramVersions {
  version: number;
  oldestRead: number;
}

const THIS: ProgramVersions = { version: LEDGER_VERSION, oldestRead: OLDEST_READ };

/** Before there was a mark, every ledger was of this version. */
export const UNMARKED = { version: 1, oldestProgram: 1 };

/**
 * Returns why a program may not work with a ledger, as the end of a sentence; `undefined` if it may.
 *
 * @param mark The record of a migration; null if there was none.
 */
export function ledgerFault(
  mark: Pick<LedgerMark, "version" | "oldestProgram"> | null,
  program: ProgramVersions = THIS,
): string | undefined {
  const { version, oldestProgram } = mark ?? UNMARKED;
  if (oldestProgram > program.version) {
    return `its documents are of version ${version}, but this program, version ` +
      `${program.version}, is too old for them: start a newer version, or restore the backup from before ` +
      `the upgrade`;
  }
  if (version < program.oldestRead) {
    return `its documents are of version ${version}, but this program needs ${program.oldestRead}: ` +
      `run "posthaste migrate" first`;
  }
  return undefined;
}

/** Reads the record of a ledger's migration. */
export async function readLedgerMark(db: Db): Promise<LedgerMark | null> {
  return await collectionsOf(db).ledger.findOne({ _id: "ledger" });
}

/**
 * Records that this program has migrated a ledger. The migration of an older program never lowers the
 * version.
 */
export async function writeLedgerMark(db: Db): Promise<void> {
  await collectionsOf(db).ledger.updateOne({ _id: "ledger" }, {
    $max: { version: LEDGER_VERSION, oldestProgram: OLDEST_BESIDE },
    $currentDate: { migratedAt: true },
  }, { upsert: true });
}
