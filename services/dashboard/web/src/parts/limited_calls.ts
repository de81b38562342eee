/** Runs a work when it is its turn; one that was aborted by then does not run. */
export type LimitedCalls = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Returns a function that runs at most `max` works at a time, in the order of its calls. */
export function limitedCalls(max: number): LimitedCalls {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work, signal) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      // The next one takes over the place.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
