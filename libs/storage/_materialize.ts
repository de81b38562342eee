import type { Message, Send } from "@posthaste/contracts";
import type { Collection } from "mongodb";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";
import { queuedMessage } from "./_message_document.ts";

/** Writes a document for every message of a send that has none. */
export async function materialize(messages: Collection<Message>, send: Send): Promise<void> {
  const documents = send.request.to.flatMap((_, index) => queuedMessage(send, index) ?? []);
  try {
    await messages.insertMany(documents, { ordered: false });
  } catch (error) {
    if (!hasOnlyDuplicateKeys(error)) throw error;
  }
}
