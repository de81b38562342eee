import { openSemaphore, type Semaphore } from "@posthaste/limits";

/** How much work may be in progress in a process. */
export interface CapacityOptions {
  /** Operations that the ledger has not answered. */
  maxOperations: number;
  /** Bytes of the request bodies that arrive, are processed, or wait for the ledger. */
  maxBytes: number;
  /** Of these, the most that one account may hold. */
  maxAccountBytes: number;
}

/** Counts the work in progress, so that nothing can pile up while the ledger is slow or gone. */
export interface Capacity {
  operations: Semaphore;
  /** Bytes; their owners are accounts. */
  bodies: Semaphore;
}

/** Opens the limits of a process, with no work in progress. */
export function openCapacity(
  { maxOperations, maxBytes, maxAccountBytes }: CapacityOptions,
): Capacity {
  return {
    operations: openSemaphore({ max: maxOperations }),
    bodies: openSemaphore({ max: maxBytes, maxPerOwner: maxAccountBytes }),
  };
}
