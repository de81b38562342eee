import type { EventData, EventType } from "@posthaste/contracts";
import { errorType } from "@posthaste/telemetry";

/** An event on its way out. */
export type Outgoing = {
  [T in EventType]: {
    type: T;
    data: EventData<T>;
    /** Bytes that travel behind the event's JSON, as they are; its data says where each part begins. */
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
 * What shall become of an event once a step has dealt with it.
 *
 * - `done`: publish what came of it, answer all who wait, each when its reply is there, and let it go.
 * - `retry`: it comes again. An `outage` (a database that is away) is waited out however long it
 *   takes; any other reason counts towards {@linkcode MAX_TRIES}.
 * - `fail`: trying again cannot help. What `giveUp` says is published.
 */
export type Verdict =
  | { type: "done"; publish: Outgoing[]; replies?: readonly unknown[] }
  | { type: "retry"; reason: unknown; outage: boolean }
  | { type: "fail"; reason: string };

/** A place among the events that a process works on at once. */
export interface Place {
  /**
   * Frees the slot of this event for another one. Call it when only waiting remains, which costs almost
   * nothing.
   */
  release(): void;
}

/** One hop of the pipeline. It knows the event and the work, and nothing of the broker. */
export interface Step<T extends EventType> {
  /** As spans and logs call it: `renderer.render`. */
  name: string;
  /**
   * Does the work. What it throws becomes a `retry`.
   *
   * @param signal Aborts when the process is told to stop and its time is up.
   * @param place What the work holds of the process; without one it holds nothing that others want.
   */
  handle(delivery: Delivery<T>, signal: AbortSignal, place?: Place): Promise<Verdict>;
  /** What the world is told when an event is given up: usually that its message failed. */
  giveUp(delivery: Delivery<T>, reason: string): Omit<Verdict & { type: "done" }, "type">;
}

/** What came of work on an event so far. */
export interface Tries {
  /** How often it failed. */
  failed: number;
  /** How often its worker was lost with it, when it had nothing else in hand that came as often. */
  lost: number;
}

/** Of an event that is new. */
export const UNTRIED: Tries = { failed: 0, lost: 0 };

/** How often an event may fail before it is given up. */
export const MAX_TRIES = 5;

/**
 * How many workers an event may be lost with before it is given up. More than it may fail: a worker
 * may end for reasons of its own, and a machine under memory pressure ends many, one after the other.
 */
export const MAX_LOST = 8;

/** How long a step waits before it tries an event again, in milliseconds. */
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

/** Returns whether something is away, and what failed for it works again once it is back. */
export function isOutage(reason: unknown): boolean {
  const type = errorType(reason);
  return type === "unavailable" || type === "timeout" || type === "disk_full";
}
