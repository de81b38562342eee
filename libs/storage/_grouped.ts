import { Throttle } from "@posthaste/runtime";

/** How calls are grouped. */
export interface GroupOptions {
  /**
   * Least time from one command to the next, in milliseconds: what comes meanwhile is one group. A full group does not
   * wait. @default {0}
   */
  everyMs?: number | undefined;
}

const MAX_GROUP_SIZE = 500;

/** Time after which a command no longer holds up the next one, in milliseconds: only its connection may be dead. */
const PATIENCE_MS = 1000;

interface Waiting<T, R> extends PromiseWithResolvers<R> {
  item: T;
}

/**
 * Groups the calls of one process into commands: what comes while one is in progress is the next. A majority then
 * confirms and syncs many at the price of one, and a group costs hardly more than one call. One that comes alone is
 * sent immediately.
 *
 * @param run Carries out a group. Returns each result in the order of the calls; an `Error` rejects that call.
 */
export function grouped<T, R>(
  run: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
  { everyMs = 0 }: GroupOptions = {},
): (item: T) => Promise<R> {
  const throttle = new Throttle(everyMs);
  let waiting: Waiting<T, R>[] = [];
  let isBusy = false;
  let isPlanned = false;
  let timer: NodeJS.Timeout | undefined;

  function plan(): void {
    if (isPlanned || isBusy || waiting.length === 0) return;
    // A full group gains nothing by waiting.
    const waitMs = waiting.length < MAX_GROUP_SIZE ? throttle.waitMs : 0;
    if (waitMs > 0) timer ??= setTimeout(flush, waitMs);
    else {
      clearTimeout(timer);
      isPlanned = true;
      setImmediate(flush);
    }
  }

  async function flush(): Promise<void> {
    timer = undefined;
    isPlanned = false;
    isBusy = true;
    throttle.begin();
    const group = waiting.slice(0, MAX_GROUP_SIZE);
    waiting = waiting.slice(MAX_GROUP_SIZE);
    let isAwaited = true;
    const goOn = () => {
      if (isAwaited) isBusy = false;
      isAwaited = false;
      plan();
    };
    const patience = setTimeout(goOn, PATIENCE_MS);
    try {
      const results = await run(group.map(({ item }) => item));
      for (const [position, { resolve, reject }] of group.entries()) {
        const result = results[position] as R | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      clearTimeout(patience);
      goOn();
    }
  }

  return (item) => {
    const entry = { item, ...Promise.withResolvers<R>() };
    waiting.push(entry);
    plan();
    return entry.promise;
  };
}
