import { repeat } from "@posthaste/runtime";
import { IDEMPOTENCY_KEPT_MS, type StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The dependencies of expiring. */
export type ExpireDeps =
  & StorePart<"sends.expireIdempotencyKeys">
  & {
    now(): Date;
    logger: Pick<Logger, "info" | "warn">;
  };

const EVERY_MS = 3_600_000;

/** Frees idempotency keys that are older than 7 days, every hour until the signal aborts. */
export async function expireKeysForever(deps: ExpireDeps, signal: AbortSignal): Promise<void> {
  await repeat(async () => {
    const before = new Date(deps.now().getTime() - IDEMPOTENCY_KEPT_MS);
    const freed = await deps.sends.expireIdempotencyKeys(before);
    if (freed > 0) deps.logger.info("Freed idempotency keys", { keys: freed });
  }, {
    everyMs: EVERY_MS,
    failure: "Cannot free idempotency keys, retrying",
    logger: deps.logger,
    signal,
  });
}
