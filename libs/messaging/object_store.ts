import type { JetStreamClient, JetStreamManagerOptions } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { failpoint } from "@posthaste/runtime";
import { hash } from "node:crypto";
import type { StoreName } from "./topology.ts";

/**
 * A store of immutable objects, each under the SHA-256 of what it was made from. It is a cache: what
 * is missing or damaged reads as absent, and its owner makes it again. A store that is away or full is
 * an outage.
 */
export interface ObjectStore {
  /** Returns the size in bytes, or `undefined` when there is no such object that is whole. */
  sizeOf(key: string): Promise<number | undefined>;
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** The bytes of an object in one message. The broker takes 1 MB, of which base64 may be made. */
const PIECE_BYTES = 512 * 1024;

/** Header of the first piece: the size of the object, and the SHA-256 of its bytes. */
const HEAD = { size: 8, digest: 32, bytes: 40 };

const ANSWER_TIMEOUT_MS = 5000;

/** The broker's code for a missing message. */
const NOT_FOUND = 404;

/** What a store is reached by. */
export interface ObjectStoreClient {
  connection: Pick<NatsConnection, "request">;
  stream: Pick<JetStreamClient, "publish">;
  /** @default the interface that everybody knows */
  api?: Pick<JetStreamManagerOptions, "apiPrefix">;
}

/**
 * Opens an object store of the topology. An object is one message under its key, or the first of several;
 * then it is written last.
 *
 * It is read by a request that the broker answers with JSON. A direct get would be cheaper, but its answer is
 * the object's bytes, and the broker sends them wherever the asker says: a service that may write an object
 * could have its bytes delivered as an event of another service.
 */
export function openObjectStore(
  { connection, stream, api = {} }: ObjectStoreClient,
  name: StoreName,
): ObjectStore {
  const subjectOf = (key: string, piece: number) =>
    `$O.${name}.C.${key}${piece === 0 ? "" : `-${piece}`}`;

  async function use<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw Object.assign(
        new Error(`Cannot use object store "${name}": ${String(error)}`, { cause: error }),
        { errorType: "unavailable" },
      );
    }
  }

  async function read(key: string, piece: number): Promise<Buffer | undefined> {
    const call = `${api.apiPrefix ?? "$JS.API"}.STREAM.MSG.GET.OBJ_${name}`;
    const query = JSON.stringify({ last_by_subj: subjectOf(key, piece) });
    const answer = await connection.request(call, query, { timeout: ANSWER_TIMEOUT_MS });
    const { message, error } = answer.json<StoredMessage>();
    if (error?.code === NOT_FOUND && /no message/.test(error.description)) return undefined;
    if (error !== undefined) throw new Error(error.description);
    return Buffer.from(message?.data ?? "", "base64");
  }

  async function get(key: string): Promise<Uint8Array | undefined> {
    const first = await read(key, 0);
    if (first === undefined || first.length < HEAD.bytes) return undefined;
    const size = Number(first.readBigUInt64BE());
    const pieces = [first.subarray(HEAD.bytes)];
    const count = countOf(size);
    if (count > 1) {
      const others = Array.from({ length: count - 1 }, (_, at) => read(key, at + 1));
      pieces.push(...(await Promise.all(others)).filter((piece) => piece !== undefined));
    }
    const bytes = pieces.length === 1 ? pieces[0] as Buffer : Buffer.concat(pieces);
    const isWhole = bytes.length === size && digestOf(bytes).equals(digestIn(first));
    return isWhole ? bytes : undefined;
  }

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const head = Buffer.alloc(HEAD.size);
    head.writeBigUInt64BE(BigInt(bytes.length));
    const pieceOf = (piece: number) =>
      bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
    const count = countOf(bytes.length);
    await Promise.all(
      Array.from(
        { length: count - 1 },
        (_, at) => stream.publish(subjectOf(key, at + 1), pieceOf(at + 1)),
      ),
    );
    await stream.publish(subjectOf(key, 0), Buffer.concat([head, digestOf(bytes), pieceOf(0)]));
    failpoint("objects.after_put");
  }

  return {
    sizeOf: (key) => use(async () => (await get(key))?.length),
    get: (key) => use(() => get(key)),
    put: (key, bytes) => use(() => put(key, bytes)),
  };
}

/** What the broker answers: a message whose bytes are base64, or why there is none. */
interface StoredMessage {
  message?: { data?: string };
  error?: { code: number; description: string };
}

function countOf(size: number): number {
  return Math.max(1, Math.ceil(size / PIECE_BYTES));
}

function digestOf(bytes: Uint8Array): Buffer {
  return hash("sha256", bytes, "buffer");
}

function digestIn(first: Buffer): Buffer {
  return first.subarray(HEAD.size, HEAD.bytes);
}
