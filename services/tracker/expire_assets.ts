import type { StorePart } from "@posthaste/storage";

/** The dependencies of expiring files. */
export type ExpireAssetsDeps =
  & StorePart<"assets.removeOld">
  & { now(): Date };

/** For how long files are kept. */
export interface ExpireAssetsOptions {
  /** In milliseconds, since a send last needed them; at least the retention of sends. */
  keptMs: number;
  signal: AbortSignal;
}

const BATCH_SIZE = 200;

/** Removes all files that nothing has needed for that long. Returns their number. */
export async function expireAssets(
  deps: ExpireAssetsDeps,
  { keptMs, signal }: ExpireAssetsOptions,
): Promise<number> {
  const before = new Date(deps.now().getTime() - keptMs);
  let total = 0;
  for (let after: string | null = ""; after !== null && !signal.aborted;) {
    const done = await deps.assets.removeOld({ before, limit: BATCH_SIZE, after });
    total += done.removed;
    after = done.last;
  }
  return total;
}
