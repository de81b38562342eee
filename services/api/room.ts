import { type HolderBudget, openHolderBudget } from "@posthaste/limits";

/** How much may be under way in a process at once. */
export interface RoomOptions {
  /** Operations of the ledger that it has not answered. */
  maxOperations: number;
  /** Bytes of the request bodies that arrive, are worked on, or wait for the ledger. */
  maxBytes: number;
  /** Of these, the most that one account may hold. @default maxBytes */
  maxAccountBytes?: number;
}

/** Keeps count of what is under way, so that nothing can pile up while the ledger is slow or gone. */
export interface Room {
  /** Whether one more operation fits. */
  readonly hasOperation: boolean;
  /** Counts an operation that begins. */
  begin(): void;
  /** Notes that an operation was answered. */
  end(): void;
  /** Bytes of bodies; their holders are accounts. */
  readonly bodies: HolderBudget;
}

/** Opens an empty room. */
export function openRoom({ maxOperations, maxBytes, maxAccountBytes }: RoomOptions): Room {
  let operations = 0;
  return {
    get hasOperation() {
      return operations < maxOperations;
    },
    begin: () => void operations++,
    end: () => void operations--,
    bodies: openHolderBudget({ max: maxBytes, maxPerHolder: maxAccountBytes }),
  };
}
