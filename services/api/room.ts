/** How much may be under way in a process at once. */
export interface RoomOptions {
  /** Operations of the ledger that it has not answered. */
  maxOperations: number;
  /** Bytes of the request bodies that arrive, are worked on, or wait for the ledger. */
  maxBytes: number;
  /** Of these, the most that one account may hold. @default maxBytes */
  maxAccountBytes?: number;
}

/** Whose bytes are counted. */
export interface BytesHolder {
  accountId: string;
  /** What the same request holds already. */
  held: number;
}

/** Keeps count of what is under way, so that nothing can pile up while the ledger is slow or gone. */
export interface Room {
  /** Whether one more operation fits. */
  readonly hasOperation: boolean;
  /** Counts an operation that begins. */
  begin(): void;
  /** Notes that an operation was answered. */
  end(): void;
  /** Counts bytes, if they fit; else tells what is full. */
  takeBytes(bytes: number, holder: BytesHolder): "all" | "account" | undefined;
  /** Gives bytes of a request back. */
  freeBytes(holder: BytesHolder): void;
}

/** Opens an empty room. */
export function openRoom(options: RoomOptions): Room {
  const { maxOperations, maxBytes, maxAccountBytes = maxBytes } = options;
  let operations = 0;
  let bytes = 0;
  const ofAccount = new Map<string, number>();
  return {
    get hasOperation() {
      return operations < maxOperations;
    },
    begin: () => void operations++,
    end: () => void operations--,
    takeBytes(more, { accountId, held }) {
      const own = ofAccount.get(accountId) ?? 0;
      // One body always fits, however small the room.
      if (bytes > held && bytes + more > maxBytes) return "all";
      if (own > held && own + more > maxAccountBytes) return "account";
      bytes += more;
      ofAccount.set(accountId, own + more);
      return undefined;
    },
    freeBytes({ accountId, held }) {
      bytes -= held;
      const left = (ofAccount.get(accountId) ?? 0) - held;
      if (left > 0) ofAccount.set(accountId, left);
      else ofAccount.delete(accountId);
    },
  };
}
