import type { NatsConnection } from "@nats-io/nats-core";
import { type ObjectResult, type ObjectStore as NatsObjectStore, Objm } from "@nats-io/obj";
import { crashPoint } from "@posthaste/runtime";
import { setTimeout as delay } from "node:timers/promises";
import type { StoreName } from "./topology.ts";

/**
 * A store of immutable objects, each under the SHA-256 of what it was made from. It is a cache: what
 * is missing or damaged reads as absent, and its owner makes it again. A store that is away or full is
 * an outage.
 */
export interface ObjectStore {
  /** Gives the size in bytes, or `undefined` when there is no such object. */
  sizeOf(key: string): Promise<number | undefined>;
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

// The client waits for ever for chunks that are gone: they expire a moment before their object.
const STALL_MS = 5000;

/** Opens an object store that the topology made; the store itself is looked up at its first use. */
export function openObjectStore(
  connection: NatsConnection,
  name: StoreName,
  { stallMs = STALL_MS }: { stallMs?: number } = {},
): ObjectStore {
  let opened: Promise<NatsObjectStore> | undefined;

  async function use<T>(work: (store: NatsObjectStore) => Promise<T>): Promise<T> {
    opened ??= new Objm(connection).open(name).catch((error) => {
      opened = undefined;
      throw error;
    });
    try {
      return await work(await opened);
    } catch (error) {
      throw Object.assign(
        new Error(`Cannot use object store "${name}": ${String(error)}`, { cause: error }),
        { errorType: "unavailable" },
      );
    }
  }

  return {
    sizeOf: (key) =>
      use(async (store) => {
        const info = await store.info(key);
        return info === null || info.deleted ? undefined : info.size;
      }),
    get: (key) =>
      use(async (store) => {
        const found = await store.get(key);
        if (found === null) return undefined;
        const bytes = await read(found, stallMs);
        // Else it would count as present, and never be made again.
        if (bytes === undefined) await store.delete(key);
        return bytes;
      }),
    put: (key, bytes) =>
      use(async (store) => {
        await store.putBlob({ name: key }, bytes);
        crashPoint("objects.after_put");
      }),
  };
}

/** Reads an object; `undefined` if it is damaged. The client compares the digest as it reads. */
async function read(
  { data, error, info }: ObjectResult,
  stallMs: number,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(info.size);
  const reader = data.getReader();
  // The same error comes from the reader.
  error.catch(() => undefined);
  let end = 0;
  try {
    while (true) {
      const piece = await within(reader.read(), stallMs);
      if (piece?.done) break;
      if (piece === undefined || end + piece.value.length > bytes.length) return undefined;
      bytes.set(piece.value, end);
      end += piece.value.length;
    }
  } catch (cause) {
    if (cause instanceof Error && /digest|corrupt/i.test(cause.message)) return undefined;
    throw cause;
  } finally {
    reader.cancel().catch(() => undefined);
  }
  return end === bytes.length ? bytes : undefined;
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      work,
      delay(limitMs, undefined, { signal: timer.signal }).catch(() => undefined),
    ]);
  } finally {
    timer.abort();
  }
}
