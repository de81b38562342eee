import { openSemaphore, type Semaphore } from "@posthaste/limits";

/** How much may be under way in a process at once. */
export interface CapacityOptions {
  /** Operations of the ledger that it has not answered. */
  maxOperations: number;
  /** Bytes of the request bodies that arrive, are worked on, or wait for the ledger. */
  maxBytes: number;
  /** Of these, the most that one account may hold. @default maxBytes */
  maxAccountBytes?: number;
}

/** Keeps count of what is under way, so that nothing can pile up while the ledger is slow or gone. */
export interface Capacity {
  operations: Semaphore;
  /** Bytes; their owners are accounts. */
  bodies: Semaphore;
}

/** Opens the limits of a process, with nothing under way. */
export function openCapacity(
  { maxOperations, maxBytes, maxAccountBytes }: CapacityOptions,
): Capacity {
  return {
    operations: openSemaphore({ max: maxOperations }),
    bodies: openSemaphore({ max: maxBytes, maxPerOwner: maxAccountBytes }),
  };
}
