import type {
  ConsumerInfo,
  JetStreamManager,
  NextMsgRequest,
  SeqMsgRequest,
} from "@nats-io/jetstream";
import { CONSUMERS, STREAMS } from "./topology.ts";

/** The sequence up to which the consumers of each stream have processed everything. */
export type Passed = ReadonlyMap<string, number>;

const LOOKED_AT = STREAMS.filter(({ retention }) => retention === "work");

/** Finds how far the consumers of each work stream have got. */
export async function findPassed(manager: JetStreamManager): Promise<Passed> {
  const passed = new Map<string, number>();
  for (const { name } of LOOKED_AT) {
    // Read first: a consumer that is asked later and has no work has processed everything up to here.
    const { state } = await manager.streams.info(name);
    const consumers = await Array.fromAsync(manager.consumers.list(name));
    // Events that a missing consumer has not received must stay.
    const names = new Set(consumers.map((consumer) => consumer.name));
    if (CONSUMERS.some((plan) => plan.stream === name && !names.has(plan.name))) continue;
    passed.set(name, Math.min(...consumers.map((consumer) => passedBy(consumer, state.last_seq))));
  }
  return passed;
}

function passedBy({ num_pending, num_ack_pending, ack_floor }: ConsumerInfo, last: number): number {
  return num_pending + num_ack_pending === 0 ? last : ack_floor.stream_seq;
}

/**
 * Removes events that all consumers of a stream had passed at an earlier look and that still exist. A broker
 * that restarts after its disk was full may keep finished events: no consumer delivers them, but they count
 * as waiting mail. The ledger has everything that is removed. Returns the number of removed events.
 */
export async function dropPassed(
  manager: JetStreamManager,
  { earlier, now }: { earlier: Passed; now: Passed },
): Promise<number> {
  let dropped = 0;
  for (const [name, sequence] of now) {
    const upTo = Math.min(sequence, earlier.get(name) ?? 0);
    const { state } = await manager.streams.info(name);
    if (state.messages === 0 || state.first_seq > upTo) continue;
    dropped += await dropUpTo(manager, name, upTo);
  }
  return dropped;
}

/**
 * One by one: a service may not purge a stream, because an empty answer of the broker could then purge it too.
 */
async function dropUpTo(manager: JetStreamManager, name: string, upTo: number): Promise<number> {
  let dropped = 0;
  for (let seq = 1;; dropped++) {
    const next: SeqMsgRequest & NextMsgRequest = { seq, next_by_subj: ">" };
    const found = await manager.streams.getMessage(name, next);
    if (found === null || found.seq > upTo) return dropped;
    await manager.streams.deleteMessage(name, found.seq, false);
    seq = found.seq + 1;
  }
}
