import type { Message } from "@posthaste/contracts";
import type { Collection } from "mongodb";

/** Gives those ids of messages that have no document, each once. */
export async function withoutDocument(
  messages: Collection<Message>,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const missing = new Set(ids);
  const found = await messages.find({ _id: { $in: [...missing] } }, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of found) missing.delete(_id);
  return missing;
}
