import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** How the ledger stands, over all accounts, for telemetry. */
export interface LedgerState {
  /** Messages that wait for their integration's turn, counted up to 100,000. */
  parked: number;
  /** Messages that the server may have and that wait for a person, counted up to 100,000. */
  unknown: number;
  /** Integrations whose server is left alone at the time. */
  unreachable: number;
  /** Integrations that wait for a person to repair them. */
  suspended: number;
  /** The file system that the database lies on, in bytes; null where the user may not know. */
  disk: { used: number; size: number } | null;
}

/** What an operator wants to know of the ledger. */
export interface LedgerFigures {
  /** Looks how the ledger stands: five questions, each answered from an index or from memory. */
  ledgerState(now: Date): Promise<LedgerState>;
}

const LIMIT = 100_000;
const MAX_MS = 2000;

/** Gives the figures about the whole ledger. */
export function ledgerFigures(db: Db): LedgerFigures {
  const { messages, integrationHealth, openIntegrations } = collectionsOf(db);
  const bounded = { limit: LIMIT, maxTimeMS: MAX_MS };
  return {
    async ledgerState(now) {
      const [parked, unknown, unreachable, suspended, disk] = await Promise.all([
        messages.countDocuments({ parkedFor: { $gte: "" } }, bounded),
        messages.countDocuments({ state: "unknown" }, bounded),
        integrationHealth.countDocuments({ openUntil: { $gt: now } }, bounded),
        openIntegrations.countDocuments({ "suspended.at": { $gt: new Date(0) } }, bounded),
        diskOf(db),
      ]);
      return { parked, unknown, unreachable, suspended, disk };
    },
  };
}

async function diskOf(db: Db): Promise<LedgerState["disk"]> {
  const stats = await db.command({ dbStats: 1, freeStorage: 0 }, { timeoutMS: MAX_MS })
    .catch(() => undefined);
  const { fsUsedSize: used, fsTotalSize: size } = stats ?? {};
  return typeof used === "number" && typeof size === "number" ? { used, size } : null;
}
