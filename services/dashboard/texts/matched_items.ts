import type { TextItem } from "./text_items.ts";

/**
 * Returns which items are whole: all but tags and blocks without their other half. Halves of which another
 * half is missing between them count as missing, too.
 */
export function matchedItems(items: readonly TextItem[]): boolean[] {
  const isMatched = items.map(({ type }) => type !== "end");
  let open: { index: number; name: string; branches: number[] }[] = [];
  const giveUp = (index: number) => {
    for (const half of open) {
      for (const each of [half.index, ...half.branches]) isMatched[each] = false;
    }
    isMatched[index] = false;
    open = [];
  };
  for (const [index, item] of items.entries()) {
    if (item.type === "end") giveUp(index);
    else if (item.type === "open" || item.type === "block" && item.role === "open") {
      open.push({ index, name: nameOf(item), branches: [] });
    } else if (item.type === "block" && item.role === "else") {
      const last = open.at(-1);
      if (last?.name === BLOCK) last.branches.push(index);
      else giveUp(index);
    } else if (item.type === "close" || item.type === "block") {
      if (open.at(-1)?.name === nameOf(item)) open.pop();
      else giveUp(index);
    }
  }
  giveUp(-1);
  return isMatched;
}

/** No element has this name. */
const BLOCK = "{{";

function nameOf(item: TextItem): string {
  return "name" in item ? item.name : BLOCK;
}
