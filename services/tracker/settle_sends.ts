import type { StatusEvent } from "@posthaste/messaging";
import { failpoint, repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** What settling needs from the outside. */
export type SettlementDeps =
  & StorePart<"sends.settle" | "sends.finished">
  & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

/** Settles sends soon after the last of their messages has ended. */
export interface Settlement {
  /** Records that messages have ended: their sends may be finished. */
  note(facts: readonly StatusEvent[]): void;
  /** Settles finished sends that had no news for a moment. */
  settleQuiet(): Promise<void>;
}

/** While messages of a send end one after the other, it need not be examined. */
const QUIET_MS = 250;

const AT_ONCE = 1000;

/** Opens the settlement. Its state is lost with the process: the reconciler settles those sends later. */
export function openSettlement(
  { sends: { finished: finishedSends, settle: settleSends }, now }: Omit<SettlementDeps, "logger">,
  { clock = performance }: { clock?: { now(): number } } = {},
): Settlement {
  const lastEnds = new Map<string, number>();
  return {
    note(facts) {
      for (const { type, data } of facts) {
        if (type !== "status.message.sent" && type !== "status.message.failed") continue;
        // Moved to the end: the first entries are the quietest.
        lastEnds.delete(data.sendId);
        lastEnds.set(data.sendId, clock.now());
      }
    },
    async settleQuiet() {
      const quiet: string[] = [];
      for (const [sendId, at] of lastEnds) {
        if (clock.now() - at < QUIET_MS || quiet.length >= AT_ONCE) break;
        quiet.push(sendId);
      }
      if (quiet.length === 0) return;
      const finished = await finishedSends(quiet);
      failpoint("tracker.before_settle");
      if (finished.length > 0) await settleSends(finished, now());
      failpoint("tracker.after_settle");
      for (const sendId of quiet) {
        // Unless another message has ended meanwhile.
        if (clock.now() - (lastEnds.get(sendId) ?? 0) >= QUIET_MS) lastEnds.delete(sendId);
      }
    },
  };
}

/** Settles finished sends, until the signal aborts. */
export async function settleForever(
  settlement: Settlement,
  { logger, signal }: { logger: Pick<Logger, "warn">; signal: AbortSignal },
): Promise<void> {
  await repeat(() => settlement.settleQuiet(), {
    everyMs: QUIET_MS,
    failure: "Cannot settle sends, retrying",
    logger,
    signal,
  });
}
