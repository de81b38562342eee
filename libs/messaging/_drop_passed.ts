import type {
  ConsumerInfo,
  JetStreamManager,
  NextMsgRequest,
  SeqMsgRequest,
} from "@nats-io/jetstream";
import { CONSUMERS, STREAMS } from "./topology.ts";

/** Up to which sequence the consumers of each stream have dealt with all that is theirs. */
export type Passed = ReadonlyMap<string, number>;

const LOOKED_AT = STREAMS.filter(({ retention }) => retention === "work");

/** Finds how far the consumers of each stream of work have come. */
export async function findPassed(manager: JetStreamManager): Promise<Passed> {
  const passed = new Map<string, number>();
  for (const { name } of LOOKED_AT) {
    // First: a consumer that is asked later, and has nothing to do, has dealt with all up to here.
    const { state } = await manager.streams.info(name);
    const consumers = await Array.fromAsync(manager.consumers.list(name));
    // What one that is missing has not had must stay.
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
 * Removes what all consumers of a stream had passed at an earlier look and is still there. A broker that
 * is started again after its disk was full may keep events that were done: they are done with for the
 * consumers, and would count as mail that still waits. Whatever is removed is in the ledger. Gives how many.
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

/** One by one: a service may not empty a stream at once, since an empty answer could do that, too. */
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
