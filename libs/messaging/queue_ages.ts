import type { JetStreamManager, NextMsgRequest, SeqMsgRequest } from "@nats-io/jetstream";
import type { Priority } from "@posthaste/contracts";
import { type ConsumerPlan, CONSUMERS, STREAMS } from "./topology.ts";

/** What is in front of a consumer, as telemetry tells it. */
export interface QueueAge {
  plan: ConsumerPlan;
  /** Events that wait or are in hand. */
  messages: number;
  /** When the oldest of them was stored; null when there is none. */
  oldestAt: Date | null;
}

/** The stage that a consumer works for. */
function stageOf({ name, stream }: ConsumerPlan): string {
  return stream === "STATUS" ? "tracker" : name.replace(/_.*$/, "");
}

/** The attributes by which telemetry tells one queue from another. */
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
 * Looks what is in front of every consumer and how old it is. A consumer that is missing is left out.
 * For each stream that is a question about its consumers, and for each consumer that has events one for
 * the oldest event of each subject: nothing here depends on how many events there are.
 */
export async function findQueueAges(manager: JetStreamManager): Promise<QueueAge[]> {
  const found = await Promise.all(STREAMS.map(async ({ name: stream, retention }) => {
    const consumers = await Array.fromAsync(manager.consumers.list(stream)).catch(() => []);
    return await Promise.all(consumers.map(async (consumer) => {
      const plan = CONSUMERS.find(({ name }) => name === consumer.name);
      if (plan === undefined) return [];
      const messages = consumer.num_pending + consumer.num_ack_pending;
      // In a log what is done stays; in a queue it is gone.
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
