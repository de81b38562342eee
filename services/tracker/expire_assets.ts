import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The dependencies of expiring files. */
export type ExpireAssetsDeps =
  & StorePart<"assets.removeOld">
  & {
    now(): Date;
    logger: Pick<Logger, "info" | "warn">;
  };

/** For how long files are kept. */
export interface ExpireAssetsOptions {
  /** In milliseconds, since a send last needed them; at least the retention of sends. */
  keptMs: number;
  signal: AbortSignal;
}

const EVERY_MS = 3_600_000;
const ASSETS_AT_ONCE = 200;

/** Removes files that nothing needs any more, every hour until the signal aborts. */
export async function expireAssetsForever(
  deps: ExpireAssetsDeps,
  options: ExpireAssetsOptions,
): Promise<void> {
  await repeat(async () => {
    const removed = await expireAssets(deps, options);
    if (removed > 0) deps.logger.info("Removed expired files", { removed });
  }, {
    everyMs: EVERY_MS,
    failure: "Cannot remove expired files, retrying",
    logger: deps.logger,
    signal: options.signal,
  });
}

/** Removes all files that nothing has needed for that long. Returns their number. */
export async function expireAssets(
  deps: ExpireAssetsDeps,
  { keptMs, signal }: ExpireAssetsOptions,
): Promise<number> {
  const before = new Date(deps.now().getTime() - keptMs);
  let total = 0;
  for (let after: string | null = ""; after !== null && !signal.aborted;) {
    const done = await deps.assets.removeOld({ before, limit: ASSETS_AT_ONCE, after });
    total += done.removed;
    after = done.last;
  }
  return total;
}
