/** A number of places, handed out in the order of asking. */
export interface Slots {
  readonly waiting: number;
  /** Waits for a place. Call what it returns once, to give the place back. */
  take(): Promise<() => void>;
}

/** Makes `count` places. */
export function createSlots(count: number): Slots {
  let free = count;
  const queue: (() => void)[] = [];

  function giveBack() {
    const next = queue.shift();
    if (next) next();
    else free++;
  }

  return {
    get waiting() {
      return queue.length;
    },
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => queue.push(resolve));
      return giveBack;
    },
  };
}
