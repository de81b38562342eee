/** How a list is split. */
export interface SplitOptions<T> {
  /** Maximum number of items of a part. */
  maxCount: number;
  /** Maximum weight of the items of a part together. */
  maxBytes: number;
  /** Returns what an item weighs. @default the bytes of its JSON */
  sizeOf?(item: T): number;
}

/** Splits a list into parts, in order. An item that is too large for any part gets one of its own. */
export function splitBySize<T>(
  items: readonly T[],
  { maxCount, maxBytes, sizeOf = jsonBytes }: SplitOptions<T>,
): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    // And a comma.
    const size = sizeOf(item) + 1;
    if (part.length > 0 && (part.length >= maxCount || bytes + size > maxBytes)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Returns the bytes of a value's JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
