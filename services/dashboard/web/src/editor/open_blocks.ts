/** A block that is not closed yet. */
export interface OpenBlock {
  name: string;
  /** Its first argument as written: `order.lines`. */
  argument: string;
}

const TAG = /\{\{~?\s*([#^/])\s*>?\s*([\w-]+)([^}]*)\}\}/g;

/** Returns the blocks that are open at the end of a text, outermost first. */
export function openBlocks(before: string): OpenBlock[] {
  const open: OpenBlock[] = [];
  for (const [, sign, name = "", rest = ""] of before.matchAll(TAG)) {
    if (sign !== "/") {
      open.push({ name, argument: /^\s*([^\s()|~]+)/.exec(rest)?.[1] ?? "" });
      continue;
    }
    const last = open.findLastIndex((block) => block.name === name);
    if (last !== -1) open.length = last;
  }
  return open;
}
