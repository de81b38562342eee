/** How much may be under way in a process at once. */
export interface RoomOptions {
  /** Operations of the ledger that it has not answered. */
  maxOperations: number;
  /** Bytes of the request bodies that are worked on, or that wait for the ledger. */
  maxBytes: number;
}

/** Keeps count of what is under way, so that nothing can pile up while the ledger is slow or gone. */
export interface Room {
  /** Whether one more operation fits. */
  readonly hasOperation: boolean;
  /** Counts an operation that begins. */
  begin(): void;
  /** Notes that an operation was answered. */
  end(): void;
  /** Counts bytes, if they fit. */
  takeBytes(bytes: number): boolean;
  /** Gives bytes back. */
  freeBytes(bytes: number): void;
}

/** Opens an empty room. */
export function openRoom({ maxOperations, maxBytes }: RoomOptions): Room {
  let operations = 0;
  let bytes = 0;
  return {
    get hasOperation() {
      return operations < maxOperations;
    },
    begin: () => void operations++,
    end: () => void operations--,
    takeBytes(more) {
      // One body always fits, however small the room.
      if (bytes > 0 && bytes + more > maxBytes) return false;
      bytes += more;
      return true;
    },
    freeBytes: (fewer) => void (bytes -= fewer),
  };
}
