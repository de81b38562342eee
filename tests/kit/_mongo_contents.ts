import { type Document, MongoClient } from "mongodb";

/** The collection of the profiler. */
const PROFILE = "system.profile";

/** That of MongoDB 8.0, the first with the command `bulkWrite`. */
const BULK_WRITE_WIRE_VERSION = 25;

/** The contents of a database. It connects when it is first used. */
export interface MongoContents extends AsyncDisposable {
  /** Adds documents to collections, by their names. */
  insert(documents: Readonly<Record<string, readonly Document[]>>): Promise<void>;
  /** Adds copies of a document to its collection, each with other changes. */
  copy(of: { collection: string; id: string }, changes: readonly Document[]): Promise<void>;
  /**
   * Removes every document, except those of some collections, and the profile. Collections and their indexes stay.
   * One command on one connection: forty of them open many connections, and use four times as much of the
   * processor.
   */
  empty(options?: { except?: readonly string[] }): Promise<void>;
}

/** Opens the contents of a database. */
export function openMongoContents(url: string, name: string): MongoContents {
  const client = new MongoClient(url, { maxPoolSize: 1 });
  const db = client.db(name);
  return {
    async insert(documents) {
      await Promise.all(
        Object.entries(documents).map(([name, added]) => db.collection(name).insertMany(added)),
      );
    },
    async copy({ collection, id }, changes) {
      const documents = db.collection<{ _id: string }>(collection);
      const found = await documents.findOne({ _id: id });
      if (found === null) {
        throw new Error(`Cannot copy "${id}" of "${collection}": it does not exist`);
      }
      await documents.insertMany(changes.map((each) => ({ ...found, ...each })));
    },
    async empty({ except = [] } = {}) {
      const found = await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray();
      const own = found.filter(({ name }) => !name.startsWith("system.") && !except.includes(name));
      const deletions = own.map((collection) => ({
        name: "deleteMany" as const,
        namespace: `${name}.${collection.name}`,
        filter: {},
      }));
      const { maxWireVersion } = await db.command({ hello: 1 });
      if (maxWireVersion < BULK_WRITE_WIRE_VERSION) {
        await Promise.all(own.map(({ name }) => db.collection(name).deleteMany()));
      } else if (deletions.length > 0) {
        await client.bulkWrite(deletions, { ordered: false });
      }
      if (!found.some(({ name }) => name === PROFILE)) return;
      await db.command({ profile: 0 });
      await db.dropCollection(PROFILE);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
