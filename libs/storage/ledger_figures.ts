import type { Integration } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { FAILING_MS } from "./integration_state.ts";
import { countUndispatched } from "./waiting_sends.ts";

/** An integration that sends nothing until a person resumes it. */
export type SuspendedIntegration =
  & Pick<Integration, "accountId" | "id" | "name">
  & Pick<NonNullable<Integration["suspended"]>, "at" | "reason" | "kind">;

/** The state of the ledger, over all accounts. Each number is counted up to {@linkcode MAX_COUNTED}. */
export interface LedgerState {
  /** Sends that are not settled. */
  unsettled: number;
  /**
   * How long the reconciler is behind its schedule, in milliseconds. It examines each unsettled send at a
   * planned time. More than a minute or two means that no tracker runs, or that it does not keep up.
   */
  reconcilerLateMs: number;
  /** Messages that wait for their integration's turn, outside of every queue. */
  waiting: number;
  /** Messages that the server may have and that wait for a person. */
  unknown: number;
  /** Integrations whose circuit is open. */
  unreachable: number;
  /** Integrations whose attempts have all failed for at least 10 minutes, the last one within an hour. */
  failing: number;
  /** Integrations that are suspended, or that a person has paused. */
  suspended: SuspendedIntegration[];
  /** Use of the database's file system, in bytes; null if the user may not read it. */
  disk: { used: number; size: number } | null;
}

/** Figures of the whole ledger for an operator. */
export interface LedgerFigures {
  /** Returns the state of the ledger. Each figure comes from an index or from memory, and is bounded. */
  ledgerState(now: Date): Promise<LedgerState>;
}

/** The highest count of sends, messages and integrations. */
export const MAX_COUNTED = 100_000;

const MAX_MS = 5000;
const HOUR_MS = 3_600_000;

/** Returns the figures of the whole ledger. */
export function ledgerFigures(db: Db): LedgerFigures {
  const { sends, messages, integrationHealth, openIntegrations } = collectionsOf(db);
  const { integrationResults } = collectionsOf(db);
  const bounds = { limit: MAX_COUNTED, maxTimeMS: MAX_MS };
  return {
    async ledgerState(now) {
      const open = { settledAt: null, reconcileAt: { $gte: new Date(0) } };
      const [
        unsettled,
        first,
        waiting,
        undispatched,
        unknown,
        unreachable,
        failing,
        suspended,
        disk,
      ] = await Promise.all([
        sends.countDocuments(open, bounds),
        sends.find(open, { maxTimeMS: MAX_MS }).sort({ reconcileAt: 1 }).limit(1)
          .project<{ reconcileAt: Date }>({ reconcileAt: 1 }).next(),
        messages.countDocuments({ waitsFor: { $gte: "" } }, bounds),
        countUndispatched(sends, { waitsFor: { $gte: "" }, limit: MAX_COUNTED }),
        messages.countDocuments({ state: "unknown" }, bounds),
        integrationHealth.countDocuments({ openUntil: { $gt: now } }, bounds),
        integrationResults.countDocuments(failingAt(now), bounds),
        openIntegrations.find({ "suspended.at": { $gt: new Date(0) }, archivedAt: null }, bounds)
          .project<Integration>({ accountId: 1, id: 1, name: 1, suspended: 1 }).toArray(),
        diskOf(db),
      ]);
      return {
        unsettled,
        reconcilerLateMs: Math.max(0, now.getTime() - (first?.reconcileAt ?? now).getTime()),
        waiting: waiting + undispatched,
        ...{ unknown, unreachable, failing, disk },
        suspended: suspended.flatMap(({ accountId, id, name, suspended: why }) =>
          why === null ? [] : { accountId, id, name, ...why }
        ),
      };
    },
  };
}

function failingAt(now: Date) {
  return {
    "lastFailed.at": { $gte: new Date(now.getTime() - HOUR_MS) },
    failingSince: { $ne: null },
    $expr: {
      $gte: [
        {
          $dateDiff: { startDate: "$failingSince", endDate: "$lastFailed.at", unit: "millisecond" },
        },
        FAILING_MS,
      ],
    },
  };
}

async function diskOf(db: Db): Promise<LedgerState["disk"]> {
  const stats = await db.command({ dbStats: 1, freeStorage: 0, maxTimeMS: MAX_MS })
    .catch(() => undefined);
  const { fsUsedSize: used, fsTotalSize: size } = stats ?? {};
  return typeof used === "number" && typeof size === "number" ? { used, size } : null;
}
