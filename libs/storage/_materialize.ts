import type { Message, Send } from "@posthaste/contracts";
import type { Collection } from "mongodb";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";
import { queuedMessage } from "./_message_document.ts";

/** Others' writes wait for the disk behind a large one. */
const AT_ONCE = 100;

/** Writes a document for every message of some sends that has none. */
export async function materialize(
  messages: Collection<Message>,
  sends: Iterable<Send> | AsyncIterable<Send>,
): Promise<void> {
  let waiting: Message[] = [];
  const flush = async () => {
    const documents = waiting;
    waiting = [];
    await insert(messages, documents);
  };
  for await (const send of sends) {
    for (const index of send.request.to.keys()) {
      const message = queuedMessage(send, index);
      if (message !== null) waiting.push(message);
      if (waiting.length === AT_ONCE) await flush();
    }
  }
  if (waiting.length > 0) await flush();
}

async function insert(messages: Collection<Message>, documents: Message[]): Promise<void> {
  try {
    await messages.insertMany(documents, { ordered: false });
  } catch (error) {
    if (!hasOnlyDuplicateKeys(error)) throw error;
  }
}
