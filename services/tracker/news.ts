/** News that somebody waits for. What comes while nobody waits ends the next wait. */
export interface News {
  /** Ends the current wait, or the next one. */
  wake(): void;
  /** Waits until there is news, the signal aborts, or this many milliseconds have passed. */
  next(options: { signal?: AbortSignal | undefined; withinMs?: number }): Promise<void>;
}

/** Opens news for one who waits. */
export function openNews(): News {
  let news = Promise.withResolvers<void>();
  const wake = () => news.resolve();
  return {
    wake,
    async next({ signal, withinMs }) {
      const timer = withinMs === undefined ? undefined : setTimeout(wake, withinMs);
      signal?.addEventListener("abort", wake);
      if (signal?.aborted) wake();
      await news.promise;
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      news = Promise.withResolvers();
    },
  };
}
