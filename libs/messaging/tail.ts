/** A place in an event's tail, in bytes. */
interface Place {
  offset: number;
  size: number;
}

/** The same type with the bytes themselves wherever it has their place in a tail. */
export type WithBytes<T> = T extends Place ? Omit<T, keyof Place> & { bytes: Uint8Array }
  : T extends readonly (infer Item)[] ? WithBytes<Item>[]
  : T extends object ? { [Key in keyof T]: WithBytes<T[Key]> }
  : T;

/** What of a message may lie in the tail of its event. */
interface Parts {
  html?: object;
  text?: object;
  attachments?: readonly object[];
}

/**
 * Returns messages with the bytes that an event's tail has of them, without a copy. A part keeps its place if
 * the tail is too short for it.
 */
export function openTail<M extends object>(
  messages: readonly M[],
  tail: Uint8Array = new Uint8Array(),
): WithBytes<M>[] {
  return changeParts(messages, (part) => {
    if (!isPlace(part)) return part;
    const { offset, size, ...rest } = part;
    return offset + size > tail.length
      ? part
      : { ...rest, bytes: tail.subarray(offset, offset + size) };
  }) as WithBytes<M>[];
}

/** Returns messages for an event, and the tail that has their bytes; none if they have no bytes. */
export function closeTail<M extends object>(
  messages: readonly WithBytes<M>[],
): { messages: M[]; tail?: Uint8Array } {
  const { placed, pieces, size } = placeParts<M>(messages);
  return { messages: placed, ...(size === 0 ? {} : { tail: Buffer.concat(pieces, size) }) };
}

/** Returns messages with the places of their bytes in a tail of these pieces, which has `size` bytes in all. */
export function placeParts<M extends object>(
  messages: readonly WithBytes<M>[],
): { placed: M[]; pieces: Uint8Array[]; size: number } {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const placed = changeParts(messages as readonly object[], (part) => {
    if (!hasBytes(part)) return part;
    const { bytes, ...rest } = part;
    const place = { ...rest, offset: size, size: bytes.length };
    pieces.push(bytes);
    size += bytes.length;
    return place;
  }) as M[];
  return { placed, pieces, size };
}

/** Returns messages for an event of their own, with their parts of the tail of the original event. */
export function carryTail<M extends object>(
  messages: readonly M[],
  tail: Uint8Array | undefined,
): { messages: M[]; tail?: Uint8Array } {
  return closeTail<M>(openTail(messages, tail));
}

function changeParts(messages: readonly object[], change: (part: object) => object): object[] {
  return messages.map((message: Parts) => {
    const { html, text, attachments } = message;
    return {
      ...message,
      ...(html === undefined ? {} : { html: change(html) }),
      ...(text === undefined ? {} : { text: change(text) }),
      ...(attachments === undefined ? {} : { attachments: attachments.map(change) }),
    };
  });
}

function isPlace(part: object): part is Place {
  return "offset" in part;
}

function hasBytes(part: object): part is { bytes: Uint8Array } {
  return "bytes" in part;
}
