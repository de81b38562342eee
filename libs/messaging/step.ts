import type { EventData, EventType } from "@posthaste/contracts";
import { errorType } from "@posthaste/telemetry";

/** An event on its way out. */
export type Outgoing = {
  [T in EventType]: {
    type: T;
    data: EventData<T>;
    /** Bytes that follow the event's JSON, unencoded. The event's data has the offset of each part. */
    tail?: Uint8Array;
  };
}[EventType];

/** An event on its way in, checked against its schema. */
export type Delivery<T extends EventType> = {
  [K in T]: {
    type: K;
    data: EventData<K>;
    tail?: Uint8Array;
    /** Whether it was delivered before: part of the work may be done. */
    isAgain?: boolean;
  };
}[T];

/**
 * The verdict of a step about an event.
 *
 * - `done`: the results are published, each asker gets its reply, and the event is acknowledged.
 * - `retry`: the event is redelivered. During an `outage` (a database that is away) there is no limit; any other
 *   reason counts towards {@linkcode MAX_TRIES}.
 * - `fail`: trying again cannot help. The events of `giveUp` are published.
 */
export type Verdict =
  | { type: "done"; publish: Outgoing[]; replies?: readonly unknown[] }
  | { type: "retry"; reason: unknown; outage: boolean }
  | { type: "fail"; reason: string };

/** A place among the events that a process has in flight. */
export interface Place {
  /**
   * Frees the slot of this event for another one. Call it when only waiting remains, which costs almost
   * nothing.
   */
  release(): void;
}

/** One hop of the pipeline. It knows the event and the work, and nothing of the broker. */
export interface Step<T extends EventType> {
  /** Its name in spans and logs: `renderer.render`. */
  name: string;
  /**
   * Does the work. What it throws becomes a `retry`.
   *
   * @param signal Aborts when the process stops and its time is up.
   * @param place What the work holds of the process; without one it holds nothing that others want.
   */
  handle(delivery: Delivery<T>, signal: AbortSignal, place?: Place): Promise<Verdict>;
  /** Events to publish when an event is given up: usually that its message failed. */
  giveUp(delivery: Delivery<T>, reason: string): Omit<Verdict & { type: "done" }, "type">;
}

/** Earlier tries of an event. */
export interface Tries {
  /** How often it failed. */
  failed: number;
  /** How often its worker was lost while it had no other event with as many tries in flight. */
  lost: number;
}

/** The tries of a new event. */
export const UNTRIED: Tries = { failed: 0, lost: 0 };

/** Maximum number of failures of an event before it is given up. */
export const MAX_TRIES = 5;

/**
 * Maximum number of workers lost with an event before it is given up. It is larger than the limit of
 * failures: a worker may end for reasons of its own, and a machine under memory pressure ends many, one after
 * the other.
 */
export const MAX_LOST = 8;

/** Wait before a step tries an event again, in milliseconds. */
export function retryDelayMs(tries: number): number {
  return Math.min(250 * 2 ** (tries - 1), 5000);
}

/** Runs a step on one delivery and never throws. */
export async function runStep<T extends EventType>(
  step: Step<T>,
  delivery: Delivery<T>,
  { tries = UNTRIED, signal, place }: { tries?: Tries; signal: AbortSignal; place?: Place },
): Promise<Verdict> {
  if (tries.failed >= MAX_TRIES) {
    return { type: "fail", reason: `given up after ${MAX_TRIES} tries` };
  }
  if (tries.lost >= MAX_LOST) {
    return { type: "fail", reason: `given up after ${MAX_LOST} workers crashed on it` };
  }
  try {
    return await step.handle(delivery, signal, place);
  } catch (reason) {
    return { type: "retry", reason, outage: isOutage(reason) };
  }
}

/** Returns whether an error is an outage: the work succeeds once the dependency is back. */
export function isOutage(reason: unknown): boolean {
  const type = errorType(reason);
  return type === "unavailable" || type === "timeout" || type === "disk_full";
}
