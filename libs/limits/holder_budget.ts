/** How much may be taken at a time: bytes, connections. */
export interface HolderBudgetOptions {
  /** By all together. */
  max: number;
  /** Of this, the most that one holder may have: an account, or a network. @default max */
  maxPerHolder?: number | undefined;
}

/** Who takes something. */
export interface Holder {
  holder: string;
  /** What the same taker holds already. */
  held: number;
}

/** A fair semaphore: counts what is taken and given back, of all and of each holder. */
export interface HolderBudget {
  /** Takes so much, if it fits; else returns what is full. What is taken first always fits. */
  take(amount: number, holder: Holder): "all" | "holder" | undefined;
  /** Gives back what a taker held. */
  free(holder: Holder): void;
}

/** Opens an empty budget. */
export function openHolderBudget(options: HolderBudgetOptions): HolderBudget {
  const { max, maxPerHolder = max } = options;
  let taken = 0;
  const byHolder = new Map<string, number>();
  return {
    take(amount, { holder, held }) {
      const own = byHolder.get(holder) ?? 0;
      // One taker always gets what it needs, however small the budget.
      if (taken > held && taken + amount > max) return "all";
      if (own > held && own + amount > maxPerHolder) return "holder";
      taken += amount;
      byHolder.set(holder, own + amount);
      return undefined;
    },
    free({ holder, held }) {
      taken -= held;
      const left = (byHolder.get(holder) ?? 0) - held;
      if (left > 0) byHolder.set(holder, left);
      else byHolder.delete(holder);
    },
  };
}
