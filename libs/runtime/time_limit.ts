/**
 * Calls `onLate` after `timeoutMs` milliseconds, unless it is disposed of before. Input comes first: Node runs
 * timers before it reads, so a process that had no processor for longer than the limit would call answers late
 * that have arrived. It reads once more, so an answer in several parts may still be late.
 */
export function openTimeLimit(timeoutMs: number, onLate: () => void): Disposable {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(onLate);
  }, Math.max(0, timeoutMs));
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      clearImmediate(immediate);
    },
  };
}
