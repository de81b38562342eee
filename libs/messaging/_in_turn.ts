/** Hands out the one turn there is, in the order of asking. Call what it resolves with to pass it on. */
export function openTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    return before.then(() => resolve);
  };
}
