import type { Message, Send } from "@posthaste/contracts";
import type { Collection } from "mongodb";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";
import { queuedMessage } from "./_message_document.ts";

/** Others' writes wait for the disk behind a large one. */
const AT_ONCE = 100;

/** Writes a document for every message of a send that has none. */
export async function materialize(messages: Collection<Message>, send: Send): Promise<void> {
  const documents = send.request.to.flatMap((_, index) => queuedMessage(send, index) ?? []);
  for (let start = 0; start < documents.length; start += AT_ONCE) {
    try {
      await messages.insertMany(documents.slice(start, start + AT_ONCE), { ordered: false });
    } catch (error) {
      if (!hasOnlyDuplicateKeys(error)) throw error;
    }
  }
}
