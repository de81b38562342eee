/** The cost of a value besides its text, in characters. */
const NODE = 16;

/**
 * Returns about how many characters a value takes in a message to a worker. The count stops beyond the limit:
 * it must not cost more than it saves.
 */
export function dataWeight(value: unknown, limit: number): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && weight <= limit) {
    const next = open.pop();
    weight += NODE + (typeof next === "string" ? next.length : 0);
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      // A long list is not copied: its length makes it too heavy.
      if (next.length * NODE > limit) return weight + next.length * NODE;
      for (const item of next) open.push(item);
    } else {
      for (const [key, inner] of Object.entries(next)) {
        weight += key.length;
        open.push(inner);
      }
    }
  }
  return weight;
}
