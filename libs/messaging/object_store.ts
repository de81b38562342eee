import {
  type JetStreamClient,
  type JetStreamManager,
  type NextMsgRequest,
  type SeqMsgRequest,
} from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import { type ObjectInfo, type ObjectStore as NatsObjectStore, Objm } from "@nats-io/obj";
import { crashPoint } from "@posthaste/runtime";
import { createHash } from "node:crypto";
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

/**
 * Opens an object store that the topology made; it is looked up at its first use. Objects are read
 * piece by piece and not by a consumer, as the client would: a service that may create a consumer may
 * have it deliver to any subject, and a small object is there sooner so.
 */
export function openObjectStore(client: JetStreamClient, name: StoreName): ObjectStore {
  let opened: Promise<Opened> | undefined;

  async function use<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    opened ??= open(client, name).catch((error) => {
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
      use(async ({ store }) => {
        const info = await store.info(key);
        return info === null || info.deleted ? undefined : info.size;
      }),
    get: (key) =>
      use(async ({ store, manager }) => {
        const info = await store.info(key);
        if (info === null || info.deleted) return undefined;
        const bytes = await read(info, { manager, name });
        // Else it would count as present, and never be made again.
        if (bytes === undefined) await forget(client, { name, info });
        return bytes;
      }),
    put: (key, bytes) =>
      use(async ({ store }) => {
        await store.putBlob({ name: key }, bytes);
        crashPoint("objects.after_put");
      }),
  };
}

interface Opened {
  store: NatsObjectStore;
  manager: JetStreamManager;
}

async function open(client: JetStreamClient, name: StoreName): Promise<Opened> {
  const [store, manager] = await Promise.all([
    new Objm(client).open(name, false),
    client.jetstreamManager(false),
  ]);
  return { store, manager };
}

/** Marks an object as deleted. Its pieces stay until the store has no room or they are too old. */
async function forget(
  client: JetStreamClient,
  { name, info }: { name: StoreName; info: ObjectInfo },
): Promise<void> {
  const key = Buffer.from(info.name).toString("base64url");
  const padded = key.padEnd(Math.ceil(key.length / 4) * 4, "=");
  const { bucket, nuid, options } = info;
  const gone = { name: info.name, bucket, nuid, options, size: 0, chunks: 0, digest: "" };
  const rollup = headers();
  rollup.set("Nats-Rollup", "sub");
  await client.publish(`$O.${name}.M.${padded}`, JSON.stringify({ ...gone, deleted: true }), {
    headers: rollup,
  });
}

/** Reads an object; `undefined` if it is damaged. What comes after its last piece is not its own. */
async function read(
  { nuid, chunks, size, digest }: ObjectInfo,
  { manager, name }: { manager: JetStreamManager; name: StoreName },
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let seq = 1;
  for (let count = 0; count < chunks; count++) {
    // The types know it for direct gets only; the broker takes it here, too.
    const next: SeqMsgRequest & NextMsgRequest = { seq, next_by_subj: `$O.${name}.C.${nuid}` };
    const piece = await manager.streams.getMessage(`OBJ_${name}`, next);
    if (piece === null) return undefined;
    pieces.push(piece.data);
    seq = piece.seq + 1;
  }
  const bytes = Buffer.concat(pieces);
  const actual = createHash("sha256").update(bytes).digest("base64url");
  const isWhole = bytes.length === size && digest.replace(/=+$/, "") === `SHA-256=${actual}`;
  return isWhole ? bytes : undefined;
}
