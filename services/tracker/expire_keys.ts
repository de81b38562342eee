import { IDEMPOTENCY_KEPT_MS, type StorePart } from "@posthaste/storage";

/** The dependencies of expiring. */
export type ExpireDeps = StorePart<"sends.expireIdempotencyKeys"> & { now(): Date };

/** Frees idempotency keys that are older than 7 days. Returns their number. */
export async function expireKeys({ sends, now }: ExpireDeps): Promise<number> {
  const before = new Date(now().getTime() - IDEMPOTENCY_KEPT_MS);
  return await sends.expireIdempotencyKeys(before);
}
