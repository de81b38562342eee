import { memoryOf, type ProcessorUse, processorUseOf, processTree } from "./process_tree.ts";

/** The resources that a browser's processes use. */
export interface Look extends ProcessorUse {
  /** Time of the measurement on the clock of `performance.now()`, in milliseconds. */
  at: number;
  /** Memory of each process but the browser's own, by id, in bytes. */
  memory: ReadonlyMap<number, number>;
}

/** Measures a browser's processes. */
export interface Looker {
  /** Measures at most four times a second; calls in between return the last result. */
  look(): Look;
  /** Makes the next measurement list the processes again, because one may have started. */
  refresh(): void;
}

const LOOK_EVERY_MS = 250;

/**
 * How long a list of processes is reused. Some come and go without a page, and listing them takes most of the
 * time of a measurement.
 */
const TREE_AGE_MS = 5000;

/** Returns a `Looker` for the browser with this process id. */
export function openLooker(pid: number): Looker {
  let last: Look | undefined;
  let tree: number[] = [];
  let treeReadAt = -Infinity;
  return {
    look() {
      const at = performance.now();
      if (last !== undefined && at - last.at < LOOK_EVERY_MS) return last;
      if (at - treeReadAt > TREE_AGE_MS) {
        tree = processTree(pid);
        treeReadAt = at;
      }
      const memory = new Map(tree.slice(1).map((child) => [child, memoryOf([child])]));
      return last = { at, ...processorUseOf(tree), memory };
    },
    refresh() {
      treeReadAt = -Infinity;
    },
  };
}
