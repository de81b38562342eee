import type { NatsConnection } from "@nats-io/nats-core";
import { type ObjectStore as NatsObjectStore, Objm } from "@nats-io/obj";
import type { StoreName } from "./topology.ts";

/**
 * A store of immutable objects, each under the SHA-256 of what it was made from. It is a cache: what
 * is missing or damaged reads as absent, and its owner makes it again.
 */
export interface ObjectStore {
  /** Gives the size in bytes, or `undefined` when there is no such object. */
  sizeOf(key: string): Promise<number | undefined>;
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** Opens an object store that the topology made; the store itself is looked up at its first use. */
export function openObjectStore(connection: NatsConnection, name: StoreName): ObjectStore {
  let opened: Promise<NatsObjectStore> | undefined;
  const store = () => {
    opened ??= new Objm(connection).open(name).catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    async sizeOf(key) {
      const info = await (await store()).info(key);
      return info === null || info.deleted ? undefined : info.size;
    },
    async get(key) {
      try {
        return await (await store()).getBlob(key) ?? undefined;
      } catch (error) {
        // The client compares the digest as it reads: a damaged object counts as none.
        if (error instanceof Error && /digest|checksum|corrupt/i.test(error.message)) {
          return undefined;
        }
        throw error;
      }
    },
    async put(key, bytes) {
      await (await store()).putBlob({ name: key }, bytes);
    },
  };
}
