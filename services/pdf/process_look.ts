import { cpuOf, memoryOf, processTree } from "./process_tree.ts";

/** What a browser's processes use. */
export interface Look {
  /** When that was, on the clock of `performance.now()`, in milliseconds. */
  at: number;
  /** Processor time of them all so far, in milliseconds. */
  cpu: number;
  /** Memory of each process but the browser's own, by id, in bytes. */
  memory: ReadonlyMap<number, number>;
}

/** Looks at a browser. */
export interface Looker {
  /** Four times a second at most, no matter who asks. */
  look(): Look;
  /** Makes the next look list the processes again: one more may have started. */
  refresh(): void;
}

const LOOK_EVERY_MS = 250;

/** Some of a browser's processes come and go without a page; to find them takes the most time of a look. */
const TREE_AGE_MS = 5000;

/** Opens the look at a browser, by its process id. */
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
      return last = { at, cpu: cpuOf(tree), memory };
    },
    refresh() {
      treeReadAt = -Infinity;
    },
  };
}
