import type { Asker, FairSlots } from "./fair_slots.ts";

/**
 * Documents of one account that a place prints before it is handed out again. A page of another account may
 * have to be opened for the next one, for about 70 ms of processor time: in runs of ten, 7 ms a document.
 */
const LONGEST_RUN = 10;

/** The documents of an account and priority that wait. */
interface Line {
  waiting: ((turn: Disposable) => void)[];
  /** Places that it has or asks for. */
  places: number;
}

/**
 * Assigns the places of `slots` in runs: a released place goes to the next request of the same account and
 * priority, up to ten times. `slots` still chooses among the requests that wait for a place.
 *
 * @param count How many places there are
 */
export function createAccountRuns(slots: FairSlots, count: number): FairSlots {
  const lines = new Map<string, Line>();

  function open(line: Line, key: string, asker: Asker): void {
    line.places++;
    void slots.take(asker).then((place) => {
      let run = 0;
      const next = () => {
        const start = run < LONGEST_RUN ? line.waiting.shift() : undefined;
        run++;
        if (start !== undefined) return start({ [Symbol.dispose]: next });
        line.places--;
        if (line.waiting.length > line.places) open(line, key, asker);
        else if (line.places === 0) lines.delete(key);
        place[Symbol.dispose]();
      };
      next();
    });
  }

  return {
    get waiting() {
      return [...lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
    },
    take(asker) {
      const key = `${asker.priority} ${asker.accountId}`;
      const line = lines.get(key) ?? { waiting: [], places: 0 };
      lines.set(key, line);
      return new Promise((resolve) => {
        line.waiting.push(resolve);
        if (line.places < Math.min(count, line.waiting.length)) open(line, key, asker);
      });
    },
  };
}
