import type { Asker, FairSlots } from "./fair_slots.ts";

/**
 * Maximum documents of one account that a slot prints in a row. A change of account may open a new page,
 * which takes about 70 ms of processor time: in runs of ten, 7 ms a document.
 */
const LONGEST_RUN = 10;

/** The waiting documents of one account and priority. */
interface Line {
  waiting: ((turn: Disposable) => void)[];
  /** Slots that it holds or has requested. */
  places: number;
  /** Those of them that it does not hold yet. */
  requested: number;
}

/**
 * Assigns the slots in runs: a released slot goes to the next request of the same account and priority, up to
 * ten times. `slots` still chooses among the requests that wait for a slot.
 *
 * @param count The number of slots
 */
export function createAccountRuns(slots: FairSlots, count: number): FairSlots {
  const lines = new Map<string, Line>();

  function open(line: Line, key: string, asker: Asker): void {
    line.places++;
    line.requested++;
    void slots.take(asker).then((place) => {
      line.requested--;
      let run = 0;
      const next = () => {
        const start = run < LONGEST_RUN ? line.waiting.shift() : undefined;
        run++;
        if (start !== undefined) return start({ [Symbol.dispose]: next });
        line.places--;
        if (line.waiting.length > line.requested) open(line, key, asker);
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
      const line = lines.get(key) ?? { waiting: [], places: 0, requested: 0 };
      lines.set(key, line);
      return new Promise((resolve) => {
        line.waiting.push(resolve);
        const isShort = line.requested < line.waiting.length;
        if (isShort && line.places < count) open(line, key, asker);
      });
    },
  };
}
