import { dispatchesAgain, type Outgoing } from "@posthaste/messaging";
import type { MessageStore, SendHead, SendStore } from "@posthaste/storage";
import { count, type Logger, recordDuration } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import { decideSweep, PATIENCE_MS, type StreamStates } from "./sweep_policy.ts";

/** What the sweeper needs from the outside. */
export interface SweepDeps
  extends
    Pick<SendStore, "sendsToSweep" | "settleSends" | "postponeSweep">,
    Pick<MessageStore, "unfinishedMessages"> {
  publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
  streamStates(): Promise<StreamStates>;
  now(): Date;
  logger: Pick<Logger, "info" | "warn">;
}

const SENDS_PER_ROUND = 200;

/**
 * Searches the ledger until the signal aborts: sends whose messages are all finished are settled,
 * messages that are due or that no queue holds any more are dispatched again.
 */
export async function sweepForever(
  deps: SweepDeps,
  options: { intervalMs: number; signal: AbortSignal },
): Promise<void> {
  const { intervalMs, signal } = options;
  while (!signal.aborted) {
    let found = 0;
    try {
      found = await sweepOnce(deps);
    } catch (error) {
      deps.logger.warn("Cannot sweep, trying again", { error });
    }
    // A full round means that more are due.
    if (found < SENDS_PER_ROUND) {
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Looks at the sends that are due and gives how many there were, at most 200. */
export async function sweepOnce(deps: SweepDeps): Promise<number> {
  const started = performance.now();
  const now = deps.now();
  const sends = await deps.sendsToSweep(now, SENDS_PER_ROUND);
  if (sends.length === 0) return 0;
  const streams = await deps.streamStates();
  const settled: string[] = [];
  const postponed: { id: string; sweepAt: Date }[] = [];
  for (const send of sends) {
    const sweepAt = await sweepSend(send, streams, deps);
    if (sweepAt === undefined) settled.push(send._id);
    else postponed.push({ id: send._id, sweepAt });
  }
  if (settled.length > 0) await deps.settleSends(settled, now);
  if (postponed.length > 0) await deps.postponeSweep(postponed);
  recordDuration("posthaste.sweep.duration", (performance.now() - started) / 1000);
  return sends.length;
}

/** Gives when to look at the send again, or `undefined` when nothing of it is unfinished. */
async function sweepSend(
  send: SendHead,
  streams: StreamStates,
  deps: SweepDeps,
): Promise<Date | undefined> {
  const unfinished = await deps.unfinishedMessages(send);
  if (unfinished.length === 0) return undefined;
  const now = deps.now();
  const again: { index: number; attempt: number }[] = [];
  let lookAt = new Date(now.getTime() + PATIENCE_MS);
  for (const message of unfinished) {
    const decision = decideSweep(message, streams, now);
    if (decision.dispatch) again.push(message);
    else if (decision.lookAt < lookAt || again.length === 0 && unfinished.length === 1) {
      lookAt = decision.lookAt;
    }
  }
  for (const event of dispatchesAgain(send, again)) await deps.publish(event, send.trace);
  if (again.length > 0) {
    count("posthaste.sweep.dispatched", again.length);
    deps.logger.info("Dispatched again", { sendId: send._id, messages: again.length });
  }
  return lookAt;
}
