import { type Collection, type Document, MongoServerError } from "mongodb";

/** The index or the collection does not exist. */
const GONE = ["IndexNotFound", "NamespaceNotFound"];

/** Removes an index of an earlier version, if it exists. */
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
