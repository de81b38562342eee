import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import { Kvm } from "@nats-io/kv";
import { POISON_BUCKET } from "./_poison_messages.ts";
import {
  type ConsumerPlan,
  CONSUMERS,
  RETIRED_STREAMS,
  type StorePlan,
  STORES,
  type StreamPlan,
  STREAMS,
} from "./topology.ts";

/** Options of {@linkcode applyTopology}. */
export interface TopologyOptions {
  /** Copies of each stream: 1, or 3 in a cluster. @default {1} */
  replicas?: number;
  /** Time after which an event without a sign of life from its worker is redelivered. @default {30_000} */
  ackWaitMs?: number;
}

const POISON_TTL_MS = 24 * 3_600_000;
const POISON_BYTES = 4 * 1024 ** 2;
const DUPLICATE_WINDOW_MS = 120_000;

/** Shares of the planned sizes for a small disk. The first share that fits is used. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16];

/**
 * Creates missing streams, consumers and object stores, and updates existing ones to the plan. If the broker
 * has less space than the plan reserves, all sizes shrink alike. Idempotent. A migration calls this. Services
 * never do it at boot in production, because a refused creation may cost a standalone server the live
 * consumer (nats-server#8491).
 */
export async function applyTopology(
  client: JetStreamClient,
  options: TopologyOptions = {},
): Promise<void> {
  for (const share of SHARES) {
    try {
      return await applyShare(client, { ...options, share });
    } catch (error) {
      if (!isDiskFull(error) || share === SHARES.at(-1)) throw error;
    }
  }
}

async function applyShare(
  client: JetStreamClient,
  options: TopologyOptions & { share: number },
): Promise<void> {
  const manager = await client.jetstreamManager(true);
  const { replicas = 1, share } = options;
  const sized = <P extends { maxBytes: number }>(plan: P) => ({
    ...plan,
    maxBytes: Math.floor(plan.maxBytes * share),
  });
  for (const name of RETIRED_STREAMS) {
    if (await exists(() => manager.streams.info(name))) await manager.streams.delete(name);
  }
  for (const plan of STREAMS.map(sized)) await applyStream(manager, plan, replicas);
  for (const plan of CONSUMERS) {
    const { ackWaitMs = plan.ackWaitMs } = options;
    await applyConsumer(manager, { ...plan, ackWaitMs });
  }
  await new Kvm(client).create(POISON_BUCKET, {
    history: 1,
    ttl: POISON_TTL_MS,
    max_bytes: POISON_BYTES,
    replicas,
  });
  for (const plan of STORES.map(sized)) await applyStore(manager, plan, replicas);
}

async function applyStore(manager: JetStreamManager, plan: StorePlan, replicas: number) {
  const config = {
    name: `OBJ_${plan.name}`,
    subjects: [`$O.${plan.name}.C.*`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    // Everything in it can be made again: a full store must not keep new PDFs out.
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    max_age: nanos(plan.ttlMs),
    max_bytes: plan.maxBytes,
    num_replicas: replicas,
    // Objects must never be delivered by themselves: see `openObjectStore()`.
    allow_direct: false,
  };
  if (await exists(() => manager.streams.info(config.name))) {
    await manager.streams.update(config.name, config);
  } else {
    await manager.streams.add(config);
  }
}

async function applyStream(manager: JetStreamManager, plan: StreamPlan, replicas: number) {
  const config = {
    name: plan.name,
    subjects: plan.subjects,
    storage: plan.storage === "file" ? StorageType.File : StorageType.Memory,
    retention: plan.retention === "work" ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    discard: plan.retention === "work" ? DiscardPolicy.New : DiscardPolicy.Old,
    max_age: nanos(plan.maxAgeMs),
    max_bytes: plan.maxBytes,
    duplicate_window: nanos(Math.min(DUPLICATE_WINDOW_MS, plan.maxAgeMs)),
    num_replicas: replicas,
  };
  if (await exists(() => manager.streams.info(plan.name))) {
    await dropRetired(manager, plan);
    await manager.streams.update(plan.name, config);
  } else {
    await manager.streams.add(config);
  }
}

/**
 * Removes events that an earlier version published on subjects that no longer exist. The ledger redispatches
 * their work.
 */
async function dropRetired(manager: JetStreamManager, { name, subjects }: StreamPlan) {
  const { config } = await manager.streams.info(name);
  for (const filter of config.subjects.filter((subject) => !subjects.includes(subject))) {
    await manager.streams.purge(name, { filter });
  }
}

async function applyConsumer(manager: JetStreamManager, plan: ConsumerPlan) {
  const config = {
    durable_name: plan.name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(plan.ackWaitMs),
    max_ack_pending: plan.maxAckPending,
    // The consuming step counts deliveries: a limit at the broker would only hide the event.
    max_deliver: -1,
    filter_subjects: plan.filterSubjects,
  };
  if (await exists(() => manager.consumers.info(plan.stream, plan.name))) {
    await manager.consumers.update(plan.stream, plan.name, config);
  } else {
    await manager.consumers.add(plan.stream, config);
  }
}

/** The broker's code for "insufficient storage resources", "no suitable peers" and similar errors. */
function isDiskFull(error: unknown): boolean {
  const reason = error instanceof Error ? error.message : "";
  return /insufficient (storage |memory )?resources|insufficient storage/.test(reason);
}

async function exists(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof Error && /not found/.test(error.message)) return false;
    throw error;
  }
}
