/** The settings that bound the time of a mail after the last fault, in milliseconds. */
export interface Waits {
  /** `RETRY_DELAY`, `CIRCUIT_PAUSE`, `TRANSFER_TIMEOUT`, `REPLY_TIMEOUT` of the mailer. */
  retryMs: number;
  circuitMs: number;
  transferMs: number;
  replyMs: number;
  /** `RECONCILE_GRACE` and `RECONCILE_INTERVAL` of the tracker. */
  graceMs: number;
  reconcileMs: number;
  /** Time after which the broker delivers an event to another worker. */
  ackWaitMs: number;
}

/** The state at the end of the last fault. */
export interface AtTheEnd {
  /** How long faults were injected. */
  faultsMs: number;
  /** Messages that had not ended. */
  open: number;
  /** The most attempts of one of them. */
  attempts: number;
}

/** Time until the reconciler's first examination of a send. */
export const FIRST_LOOK_MS = 20_000;

/** Maximum time between two examinations, which is half of the age of the mail otherwise. */
const LONGEST_LOOK_MS = 3_600_000;

/** Waits between attempts, as multiples of the first, and how much longer each may be. */
const MULTIPLES = [0, 1, 5, 15, 30, 60, 120, 240];
const JITTER = 1.2;

/**
 * The longest pause of the circuit breaker, as a multiple of the first, and the time until mailers know of
 * it.
 */
const LONGEST_PAUSE = 20;
const HEARD_MS = 2000;

/** The scheduler's first pause for an integration whose mail all comes back, and its longest. */
const FLOW_PAUSE_MS = 2000;
const LONGEST_FLOW_PAUSE_MS = 60_000;

/** Another tracker leads after this long; a mailer counts as gone after this long. */
const TAKE_OVER_MS = 3000 + 8000;

/** Mails a second on the slowest machine. */
const MAILS_PER_SECOND = 20;

/** Services connect again, browsers start, and the machine does other things. */
const SPARE_MS = 15_000;

/** A worker's register is closed this much later than its time is over. */
const MARGIN = 1.1;

/**
 * Returns the longest time from the end of the last fault to the end of the last mail, in milliseconds. A
 * mail is found by the first look or when its register is over, waits once, and goes through all stages.
 */
export function timeBoundOf(waits: Waits, { faultsMs, open, attempts }: AtTheEnd): number {
  const { retryMs, circuitMs, transferMs, replyMs, graceMs, reconcileMs, ackWaitMs } = waits;
  const registerMs = MARGIN * (transferMs + replyMs);
  // A message that was redispatched just before, and lost again, is found by the next examination.
  const againMs = Math.min(LONGEST_LOOK_MS, Math.max(3 * graceMs, faultsMs / 2));
  const foundMs = Math.max(FIRST_LOOK_MS, registerMs) + reconcileMs + againMs;
  const multiple = MULTIPLES[Math.min(attempts, MULTIPLES.length - 1)] ?? 0;
  const waitsMs = Math.max(
    JITTER * retryMs * multiple,
    replyMs,
    LONGEST_PAUSE * circuitMs + HEARD_MS,
    // It doubles with each trial, so that all pauses before the last were shorter than the faults.
    Math.min(LONGEST_FLOW_PAUSE_MS, FLOW_PAUSE_MS + faultsMs),
  );
  const workMs = open * 1000 / MAILS_PER_SECOND;
  return Math.ceil(foundMs + waitsMs + TAKE_OVER_MS + ackWaitMs + workMs + SPARE_MS);
}
