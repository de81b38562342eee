import type { JetStreamManager, NextMsgRequest, SeqMsgRequest } from "@nats-io/jetstream";
import type { Priority } from "@posthaste/contracts";
import { type ConsumerPlan, CONSUMERS, STREAMS } from "./topology.ts";

/** The queue of a consumer, as telemetry reports it. */
export interface QueueAge {
  plan: ConsumerPlan;
  /** Events that wait or are in flight. */
  messages: number;
  /** When the oldest of them was stored; null when there is none. */
  oldestAt: Date | null;
}

/** The stage that a consumer works for. */
function stageOf({ name, stream }: ConsumerPlan): string {
  return stream === "STATUS" ? "tracker" : name.replace(/_.*$/, "");
}

/** The attributes that distinguish queues in telemetry. */
export function queueAttributes(plan: ConsumerPlan): {
  "posthaste.stage": string;
  "posthaste.priority": Priority | undefined;
  "messaging.consumer.group.name": string;
} {
  return {
    "posthaste.stage": stageOf(plan),
    "posthaste.priority": plan.priority,
    "messaging.consumer.group.name": plan.name,
  };
}

/**
 * Returns the size and age of the queue of every consumer. Missing consumers are left out. It takes one
 * request for the consumers of each stage, and for each consumer with events one request for the oldest event
 * of each subject: the cost does not depend on the number of events.
 */
export async function findQueueAges(manager: JetStreamManager): Promise<QueueAge[]> {
  const found = await Promise.all(STREAMS.map(async ({ name: stream, retention }) => {
    const consumers = await Array.fromAsync(manager.consumers.list(stream)).catch(() => []);
    return await Promise.all(consumers.map(async (consumer) => {
      const plan = CONSUMERS.find(({ name }) => name === consumer.name);
      if (plan === undefined) return [];
      const messages = consumer.num_pending + consumer.num_ack_pending;
      // Finished events stay in a log and leave a queue.
      const from = retention === "log" ? consumer.ack_floor.stream_seq + 1 : 1;
      const oldestAt = messages === 0 ? null : await oldestOf(manager, plan, from);
      return [{ plan, messages, oldestAt }];
    }));
  }));
  return found.flat(2);
}

async function oldestOf(
  manager: JetStreamManager,
  { stream, filterSubjects }: ConsumerPlan,
  seq: number,
): Promise<Date | null> {
  const times = await Promise.all(filterSubjects.map(async (subject) => {
    const next: SeqMsgRequest & NextMsgRequest = { seq, next_by_subj: subject };
    // It may have gone meanwhile.
    return (await manager.streams.getMessage(stream, next).catch(() => null))?.time;
  }));
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : new Date(Math.min(...known.map((time) => time.getTime())));
}
