import { setTimeout as delay } from "node:timers/promises";
import {
  advance,
  beginDot,
  beginVoid,
  type Certainty,
  type Ending,
  mayDot,
  replied,
} from "@posthaste/delivery";
import { failpoint, randomName } from "@posthaste/runtime";
import {
  type AttemptOutcome,
  type MessageIdentity,
  REGISTERS_KEPT_MS,
  type StorePart,
} from "@posthaste/storage";
import { errorType, type Logger } from "@posthaste/telemetry";

/** The dependencies of an attempt. */
export type AttemptDeps =
  & StorePart<"registers.ledgerOf">
  & {
    /** The time, by the database's clock. */
    now(): Date;
    /** Longest time from the register of an attempt to the final dot, in milliseconds. */
    transferMs: number;
    /** Longest time from the final dot to the server's reply, in milliseconds. */
    replyMs: number;
    logger: Pick<Logger, "warn">;
  };

/** One attempt to send a message, as recorded in the ledger. */
export interface Attempt {
  /** Starts taking the attempt's register, because the server waits for the mail. Called at most once. */
  take(): void;
  /**
   * Waits for the register.
   *
   * @throws {Error} If the final dot must not go out.
   */
  confirm(): Promise<void>;
  /**
   * Writes the outcome of the attempt, however long the database takes. Returns whether the ledger has this
   * outcome now: not if another process has ended the attempt.
   */
  end(outcome: AttemptOutcome, certainty: Certainty): Promise<boolean>;
}

const REPEAT_MS = 1000;

/**
 * How often a write is tried that fails without a known outage: a lost outcome costs a second copy of the mail.
 */
const MAX_TRIES = 20;

/** The latest possible reply must be written before the attempt counts as unknown. */
const MARGIN = 0.1;
const MAX_MARGIN_MS = 60_000;

/** A day less than the ledger keeps registers. */
const VALID_MS = REGISTERS_KEPT_MS - 24 * 3_600_000;

/**
 * Returns whether the event of a message's first attempt is so old that the ledger may have removed later
 * attempts.
 */
export function isStale({ acceptedAt }: Pick<MessageIdentity, "acceptedAt">, now: Date): boolean {
  return now.getTime() >= acceptedAt.getTime() + VALID_MS;
}

/**
 * Opens attempt `n` of a message. Nothing is written before it is taken, or ended.
 *
 * @param attempt `fallback`: the integration that sends in place of the send's own.
 */
export function openAttempt(
  message: MessageIdentity,
  { n, fallback }: { n: number; fallback?: number | undefined },
  { registers: { ledgerOf }, transferMs, replyMs, now, logger }: AttemptDeps,
): Attempt {
  const by = randomName();
  const longestMs = transferMs + replyMs;
  const ledger = ledgerOf(message, {
    waitMs: longestMs + Math.min(longestMs * MARGIN, MAX_MARGIN_MS),
    fallback,
  });
  let taking: Promise<Ending<AttemptOutcome>> | undefined;
  // By this worker's own clock, started before its first insert.
  let takenAt = Infinity;
  const isLate = () => performance.now() - takenAt > transferMs;
  // For a later attempt, the message itself was looked up.
  const isValid = () => n > 1 || !isStale(message, now());

  async function run(ending: Ending<AttemptOutcome>): Promise<Ending<AttemptOutcome>> {
    for (let tries = 1;; tries++) {
      try {
        return await advance(ending, ledger, {
          isLate,
          beforeRepeat: async () => {
            logger.warn("The ledger does not answer, retrying", {
              messageId: message.messageId,
            });
            await delay(REPEAT_MS);
          },
        });
      } catch (error) {
        if (errorType(error) !== "disk_full" && tries >= MAX_TRIES) throw error;
        logger.warn("Cannot record an attempt, retrying", { error });
        await delay(REPEAT_MS);
      }
    }
  }

  return {
    take() {
      failpoint("mailer.before_register");
      takenAt = performance.now();
      taking = run(beginDot({ n, by }));
      taking.catch(() => undefined);
    },
    async confirm() {
      const ending = await taking;
      const isOwn = ending?.phase === "dot";
      // A worker that was suspended meanwhile is late too.
      if (!isOwn || !mayDot({ isValid: isValid(), isLate: ending.isLate || isLate() })) {
        const why = isOwn ? "its time limit has passed" : "another worker has ended the attempt";
        throw new Error(`Cannot complete the mail: ${why}`);
      }
      failpoint("mailer.after_register");
    },
    async end(outcome, certainty) {
      const taken = await taking;
      if (taken?.phase === "end") return false;
      const begun = taken === undefined
        ? beginVoid({ n, by, outcome })
        : replied<AttemptOutcome>({ n }, { outcome, certainty });
      const ending = await run(begun);
      return ending.phase === "end" && (ending.result === "written" || ending.result === "late");
    },
  };
}
