/** How much memory bodies may take in a process at once. */
export interface BodyBudgetOptions {
  /** Bytes of the bodies that arrive, are worked on, or wait. */
  maxBytes: number;
  /** Of these, the most that one holder may have: an account, or a network. @default maxBytes */
  maxHolderBytes?: number | undefined;
}

/** Whose bytes are counted. */
export interface BytesHolder {
  holder: string;
  /** What the same request holds already. */
  held: number;
}

/** Counts the bytes of bodies. */
export interface BodyBudget {
  /** Counts bytes, if they fit; else returns what is full. */
  take(bytes: number, holder: BytesHolder): "all" | "holder" | undefined;
  /** Gives the bytes of a request back. */
  free(holder: BytesHolder): void;
}

/** Opens an empty budget. */
export function openBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { maxBytes, maxHolderBytes = maxBytes } = options;
  let bytes = 0;
  const byHolder = new Map<string, number>();
  return {
    take(more, { holder, held }) {
      const own = byHolder.get(holder) ?? 0;
      // One body always fits, however small the budget.
      if (bytes > held && bytes + more > maxBytes) return "all";
      if (own > held && own + more > maxHolderBytes) return "holder";
      bytes += more;
      byHolder.set(holder, own + more);
      return undefined;
    },
    free({ holder, held }) {
      bytes -= held;
      const left = (byHolder.get(holder) ?? 0) - held;
      if (left > 0) byHolder.set(holder, left);
      else byHolder.delete(holder);
    },
  };
}
