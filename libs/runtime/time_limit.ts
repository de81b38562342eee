/**
 * Calls back when `timeoutMs` are over, unless it is disposed of before. Input comes first: the event loop
 * runs timers before it reads, so a process that had no processor for longer than the limit would take
 * answers for late that have come in time.
 */
export function openTimeLimit(timeoutMs: number, onOver: () => void): Disposable {
  let looking: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    looking = setImmediate(onOver);
  }, Math.max(0, timeoutMs));
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      clearImmediate(looking);
    },
  };
}
