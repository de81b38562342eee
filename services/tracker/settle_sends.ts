import type { StatusEvent } from "@posthaste/messaging";
import { failpoint, repeat } from "@posthaste/runtime";
import type { FinishedSend, StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { openNews } from "./news.ts";
import type { EventRecorder } from "./record_events.ts";

/** The dependencies of settling. */
export type SettlementDeps =
  & Pick<EventRecorder, "recordSettled">
  & StorePart<"sends.finished" | "sends.settle" | "batches.noteEnds">
  & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

/** Settles sends soon after the last of their messages has ended. */
export interface Settlement {
  /** Records that messages have ended, and that this is in the feed: their sends may be finished. */
  note(statusEvents: readonly StatusEvent[]): void;
  /** Waits for sends that may be finished, until the signal aborts. */
  someEnd(signal: AbortSignal): Promise<void>;
  /** Settles finished sends that had no news for a moment. */
  settleQuiet(): Promise<void>;
}

/** While messages of a send end one after the other, it need not be examined. */
const QUIET_MS = 250;

const BATCH_SIZE = 1000;

/**
 * Settles those of some sends that are finished. First their events: a settled send is not examined again,
 * and a tracker that is lost in between leaves the rest to the next one.
 *
 * @param isRecorded Whether all events of the messages of a send are certainly in the feed.
 */
export async function settleFinished(
  ids: string[],
  { sends: { finished: finishedSends, settle: settleSends }, recordSettled, batches, now }: Omit<
    SettlementDeps,
    "logger"
  >,
  isRecorded: (send: FinishedSend) => boolean = () => false,
): Promise<void> {
  const finished = await finishedSends(ids);
  failpoint("tracker.before_settle");
  if (finished.length > 0) {
    await recordSettled(finished, isRecorded);
    await batches.noteEnds(finished);
    await settleSends(finished, now());
  }
  failpoint("tracker.after_settle");
}

/** Returns whether a status event is the only one of its message: it was sent or refused immediately. */
function isOnlyOutcome({ type, data }: StatusEvent): boolean {
  if (type === "status.message.sent" || type === "status.message.suppressed") {
    return data.attempt === 1;
  }
  return type === "status.message.failed" && data.stage === "mailer" && data.attempt === 1;
}

/** Opens the settlement. Its state is lost with the process: the reconciler settles those sends later. */
export function openSettlement(
  deps: Omit<SettlementDeps, "logger">,
  { clock = performance }: { clock?: { now(): number } } = {},
): Settlement {
  const lastEnds = new Map<string, number>();
  /** Messages of a send whose only outcome is recorded, by their index. */
  const recorded = new Map<string, Set<number>>();
  const news = openNews();
  const isRecorded = ({ _id, messageCount, attempts }: FinishedSend) =>
    attempts === messageCount && recorded.get(_id)?.size === messageCount;
  return {
    note(statusEvents) {
      for (const statusEvent of statusEvents) {
        const { type, data } = statusEvent;
        if (
          type !== "status.message.sent" && type !== "status.message.failed" &&
          type !== "status.message.suppressed"
        ) continue;
        if (isOnlyOutcome(statusEvent)) {
          const indexes = recorded.get(data.sendId) ?? new Set();
          recorded.set(data.sendId, indexes.add(data.index));
        }
        // Moved to the end: the first entries are the quietest.
        lastEnds.delete(data.sendId);
        lastEnds.set(data.sendId, clock.now());
        news.wake();
      }
    },
    async someEnd(signal) {
      if (lastEnds.size > 0) return;
      await news.next({ signal });
    },
    async settleQuiet() {
      const quiet: string[] = [];
      for (const [sendId, at] of lastEnds) {
        if (clock.now() - at < QUIET_MS || quiet.length >= BATCH_SIZE) break;
        quiet.push(sendId);
      }
      if (quiet.length === 0) return;
      await settleFinished(quiet, deps, isRecorded);
      for (const sendId of quiet) {
        // Unless another message has ended meanwhile.
        if (clock.now() - (lastEnds.get(sendId) ?? 0) < QUIET_MS) continue;
        lastEnds.delete(sendId);
        recorded.delete(sendId);
      }
    },
  };
}

/** Settles finished sends, until the signal aborts. */
export async function settleForever(
  settlement: Settlement,
  { logger, signal }: { logger: Pick<Logger, "warn">; signal: AbortSignal },
): Promise<void> {
  await repeat(async () => {
    // A timer that finds nothing would cost more than all else that an idle tracker does.
    await settlement.someEnd(signal);
    await settlement.settleQuiet();
  }, {
    everyMs: QUIET_MS,
    failure: "Cannot settle sends, retrying",
    logger,
    signal,
  });
}
