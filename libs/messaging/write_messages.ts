/** A message, and the JSON of it in UTF-8: made once, to be measured and to be sent. */
export interface Written<M> {
  message: M;
  json: Buffer;
}

/** Writes each message as JSON. */
export function writeMessages<M>(messages: readonly M[]): Written<M>[] {
  return messages.map((message) => ({ message, json: Buffer.from(JSON.stringify(message)) }));
}

const COMMA = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * Returns the data of an event of these messages, and its JSON.
 *
 * @param head The other fields of the event; at least one.
 */
export function eventOfWritten<H extends object, M>(
  head: H,
  written: readonly Written<M>[],
): { data: H & { messages: M[] }; json: Buffer } {
  const start = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"messages":[`);
  const pieces = written.flatMap(({ json }, position) => position === 0 ? [json] : [COMMA, json]);
  return {
    data: { ...head, messages: written.map(({ message }) => message) },
    json: Buffer.concat([start, ...pieces, END]),
  };
}
