import { type Collection, type Document, MongoServerError } from "mongodb";

/** There was no such index, or no such collection yet. */
const GONE = ["IndexNotFound", "NamespaceNotFound"];

/** Removes an index of an earlier version, if it is there. */
export async function dropIndex<T extends Document>(
  collection: Collection<T>,
  name: string,
): Promise<void> {
  try {
    await collection.dropIndex(name);
  } catch (error) {
    if (!(error instanceof MongoServerError && GONE.includes(error.codeName ?? ""))) throw error;
  }
}
