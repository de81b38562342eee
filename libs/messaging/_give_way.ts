import type { JsMsg } from "@nats-io/jetstream";
import { millis } from "@nats-io/nats-core";
import { setTimeout as delay } from "node:timers/promises";
import type { EventClient } from "./_event_client.ts";
import type { ConsumerPlan } from "./topology.ts";

const LONGEST_REST_MS = 2000;

/** What giving way needs to know of a loop that consumes. */
interface Places {
  /** How many events it may have in hand at once. */
  concurrency: number;
  signal: AbortSignal;
}

/** Gives way also where single messages wait in another process of this machine. */
export function followPressure({ bulkShare, pressure }: EventClient): void {
  pressure.follow(() => bulkShare.press(performance.now()));
}

/** How many events a lane may have in hand now: the bulk lane gives way to the other. */
export function placesOf(
  { bulkShare }: EventClient,
  { lane }: ConsumerPlan,
  { concurrency }: Places,
): number {
  if (lane !== "bulk") return concurrency;
  return Math.max(1, Math.floor(bulkShare.places(concurrency, performance.now())));
}

/** Where the bulk lane may use less than one place, it uses one for a part of the time. */
export async function rest(
  { bulkShare }: EventClient,
  { lane }: ConsumerPlan,
  { concurrency, signal, workedMs }: Places & { workedMs: number },
): Promise<void> {
  if (lane !== "bulk") return;
  const places = bulkShare.places(concurrency, performance.now());
  if (places >= 1) return;
  const restMs = Math.min(workedMs * (1 / places - 1), LONGEST_REST_MS);
  await delay(restMs, undefined, { signal }).catch(() => undefined);
}

/** Notes how long an event of the transactional lane waited; one that comes again had other reasons. */
export function noteWait({ bulkShare }: EventClient, { info }: JsMsg): void {
  if (info.deliveryCount > 1) return;
  bulkShare.noteWait(Date.now() - millis(info.timestampNanos), performance.now());
}
