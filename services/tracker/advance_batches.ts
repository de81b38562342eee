import type { Batch } from "@posthaste/contracts";
import { repeat } from "@posthaste/runtime";
import type { PartLimits, StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import type { Flow } from "./flow.ts";

/** The dependencies of the work on batches. */
export type BatchDeps =
  & StorePart<
    | "batches.listDue"
    | "batches.endOverdue"
    | "batches.nextPart"
    | "batches.release"
    | "batches.hold"
    | "batches.noteProgress"
    | "messages.cancelSend"
  >
  & {
    /** Age after which the reconciler handles a dispatched message. */
    patienceMs: number;
    now(): Date;
    logger: Pick<Logger, "info" | "warn">;
  };

/** The most batches that one round works on. Those that were left longest come first. */
const BATCHES_PER_ROUND = 20;

/** How much one round releases of a batch. */
const RELEASED: PartLimits = { sends: 500, messages: 50_000 };

/** How much one round cancels of a batch: each message takes two writes. */
const CANCELED: PartLimits = { sends: 50, messages: 2000 };

/** Number of intervals until the next search if no batch is due. */
const IDLE_INTERVALS = 3;

/** Works on batches until the signal aborts. One tracker does it for all; two would be safe. */
export async function advanceBatchesForever(
  deps: BatchDeps,
  { flow, intervalMs, signal }: {
    flow: Pick<Flow, "wake">;
    intervalMs: number;
    signal: AbortSignal;
  },
): Promise<void> {
  await repeat(async () => {
    let unfinished: number | undefined;
    // Long batches are worked on without a pause, part by part.
    do unfinished = await advanceBatches(deps, flow); while (!signal.aborted && unfinished);
    return unfinished !== undefined;
  }, {
    everyMs: intervalMs,
    idleMs: IDLE_INTERVALS * intervalMs,
    failure: "Cannot work on batches, retrying",
    logger: deps.logger,
    signal,
  });
}

/**
 * Does the next part of the work on each due batch: releases held sends of closed ones in their order, cancels the
 * sends of canceled ones, and ends open ones whose time is up. Returns the number of batches with more to do;
 * `undefined` if none is due.
 */
export async function advanceBatches(
  deps: BatchDeps,
  flow: Pick<Flow, "wake">,
): Promise<number | undefined> {
  const due = await deps.batches.listDue(deps.now(), BATCHES_PER_ROUND);
  if (due.length === 0) return undefined;
  let unfinished = 0;
  for (const batch of due) if (!await advance(batch, deps, flow)) unfinished++;
  return unfinished;
}

/** Does a part of the work on a batch. Returns whether there is no more for now. */
async function advance(
  batch: Batch,
  deps: BatchDeps,
  flow: Pick<Flow, "wake">,
): Promise<boolean> {
  const { batches, now, logger } = deps;
  if (batch.state === "open") {
    await batches.endOverdue(batch, now());
    logger.info(`Ended batch "${batch._id}": its time is up`, { batchId: batch._id });
    return false;
  }
  const last = batch.state === "canceled"
    ? await cancelPart(batch, deps)
    : await releasePart(batch, deps);
  if (batch.state === "closed") flow.wake();
  await batches.noteProgress(batch, last, now());
  return last === null;
}

/** Releases held sends. Returns the last of them; `null` if there are no more. */
async function releasePart(batch: Batch, deps: BatchDeps): Promise<string | null> {
  // Its sends started when they were accepted.
  if (batch.start === "now") return null;
  const { ids, isLast } = await deps.batches.nextPart(batch, RELEASED);
  const now = deps.now();
  const reconcileAt = new Date(now.getTime() + deps.patienceMs);
  if (ids.length > 0) await deps.batches.release(batch, ids, { now, reconcileAt });
  return isLast ? null : ids.at(-1) ?? null;
}

/** Cancels messages that are not sent yet. Returns the last send of them; `null` if there are no more. */
async function cancelPart(batch: Batch, deps: BatchDeps): Promise<string | null> {
  // First all of them together: no more mail leaves while they are canceled one by one.
  if (batch.progress === undefined) await deps.batches.hold(batch);
  const { ids, isLast } = await deps.batches.nextPart(batch, CANCELED);
  for (const id of ids) await deps.messages.cancelSend(batch.accountId, id, deps.now());
  return isLast ? null : ids.at(-1) ?? null;
}
