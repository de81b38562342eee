import type { JetStreamManager } from "@nats-io/jetstream";
import { STORES, STREAMS } from "./topology.ts";

/** How full a stream or an object store of the broker is. */
export interface Fill {
  /** Name of the stream; of an object store `pdfs` or `contents`. */
  name: string;
  /** `queue`: a full one refuses, and requests get 503. `cache`: of a full one the oldest goes. */
  kind: "queue" | "cache";
  bytes: number;
  maxBytes: number;
}

/** Reads how full the broker's streams and object stores are. */
export async function fillsOf(manager: JetStreamManager): Promise<Fill[]> {
  const kinds = new Map<string, Pick<Fill, "name" | "kind">>([
    ...STREAMS.map(({ name, retention }) => {
      const kind = retention === "work" ? "queue" as const : "cache" as const;
      return [name, { name, kind }] as const;
    }),
    ...STORES.map(({ name }) => [`OBJ_${name}`, { name, kind: "cache" as const }] as const),
  ]);
  const fills: Fill[] = [];
  for await (const { config, state } of manager.streams.list()) {
    const kind = kinds.get(config.name);
    if (kind === undefined) continue;
    fills.push({ ...kind, bytes: state.bytes, maxBytes: config.max_bytes });
  }
  return fills.toSorted((one, other) => one.name.localeCompare(other.name));
}
