/** Something of an event that may lie in its tail. */
interface Part {
  /** Its offset in the tail, in bytes. */
  offset?: number;
  /** In bytes. */
  size: number;
}

/** A message of an event, as far as it refers to the event's tail. */
interface WithParts {
  attachments?: readonly Part[];
}

/**
 * Returns messages for an event of their own, with their part of the tail of the original event; without a
 * tail if they need none.
 */
export function carryTail<M extends object>(
  messages: readonly M[],
  tail: Uint8Array | undefined,
): { messages: M[]; tail?: Uint8Array } {
  if (tail === undefined) return { messages: [...messages] };
  const pieces: Uint8Array[] = [];
  let next = 0;
  const carried = messages.map((message) => {
    const { attachments } = message as WithParts;
    if (attachments === undefined) return message;
    const moved = attachments.map((part) => {
      if (part.offset === undefined) return part;
      const piece = tail.subarray(part.offset, part.offset + part.size);
      const offset = next;
      pieces.push(piece);
      next += piece.length;
      return { ...part, offset };
    });
    return { ...message, attachments: moved };
  });
  return { messages: carried, ...(next === 0 ? {} : { tail: Buffer.concat(pieces) }) };
}
