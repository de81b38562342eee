import type { TailPlace } from "@posthaste/contracts";

/** `T` with each place in a tail replaced by its bytes. */
export type WithBytes<T> = T extends TailPlace ? Omit<T, keyof TailPlace> & { bytes: Uint8Array }
  : T extends readonly (infer Item)[] ? WithBytes<Item>[]
  : T extends object ? { [Key in keyof T]: WithBytes<T[Key]> }
  : T;

/** The parts of a message that can be in the tail of its event. */
interface Parts {
  html?: object;
  text?: object;
  attachments?: readonly object[];
}

/** Returns whether a tail has the bytes of all messages of its event. */
export function isWhole(
  messages: readonly object[],
  tail: Uint8Array = new Uint8Array(),
): boolean {
  return messages.every(({ html, text, attachments = [] }: Parts) =>
    [html, text, ...attachments].every((part) =>
      part === undefined || !isPlace(part) || part.offset + part.size <= tail.length
    )
  );
}

/** Returns the messages of an event with their bytes from its tail, not copied. */
export function readTail<M extends object>(
  messages: readonly M[],
  tail: Uint8Array = new Uint8Array(),
): WithBytes<M>[] {
  return changeParts(messages, (part) => {
    if (!isPlace(part)) return part;
    const { offset, size, ...rest } = part;
    return { ...rest, bytes: tail.subarray(offset, offset + size) };
  }) as WithBytes<M>[];
}

/** Returns messages as they stand in an event, and its tail; no tail if they have no bytes. */
export function writeTail<M extends object>(
  messages: readonly WithBytes<M>[],
): { messages: M[]; tail?: Uint8Array } {
  const { placed, pieces, size } = placeParts<M>(messages);
  return { messages: placed, ...(size === 0 ? {} : { tail: Buffer.concat(pieces, size) }) };
}

/** Returns messages as they stand in an event, the pieces of its tail, and their size together in bytes. */
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
  return writeTail<M>(readTail(messages, tail));
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

function isPlace(part: object): part is TailPlace {
  return "offset" in part;
}

function hasBytes(part: object): part is { bytes: Uint8Array } {
  return "bytes" in part;
}
