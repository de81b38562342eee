import {
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { EVENTS, type FactType } from "@posthaste/contracts";
import { type Fact, factsIn } from "./report_facts.ts";
import type { Outgoing } from "./step.ts";

/** Which facts to read. */
export interface PastFactsOptions {
  /** Those that were stored at this time or later. */
  since: Date;
  /** Only these. */
  types: readonly FactType[];
}

/** A mail that was sent, as its fact tells. */
export interface SentMail {
  accountId: string;
  messageId: string;
  at: Date;
}

const AT_ONCE = 500;
const PULL_EXPIRES_MS = 5000;

/**
 * Reads the facts that the broker still holds, up to three days, beside whoever follows them: for whoever has
 * to know what happened after the ledger that is there now was written. What cannot be read is left out.
 */
export async function* pastFacts(
  client: JetStreamClient,
  { since, types }: PastFactsOptions,
): AsyncGenerator<Fact> {
  const consumer = await client.consumers.get("STATUS", {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    filter_subjects: [...types],
  });
  let { num_pending: left } = await consumer.info();
  while (left > 0) {
    const batch = await consumer.fetch({ max_messages: AT_ONCE, expires: PULL_EXPIRES_MS });
    let received = 0;
    for await (const message of batch) {
      received++;
      left = message.info.pending;
      yield* factsOf(message);
      if (left === 0) break;
    }
    // They may have come to their age meanwhile.
    if (received === 0) return;
  }
}

/** Reads which mail was sent last, of those whose facts the broker still holds; `undefined` if there is none. */
export async function lastSent(manager: JetStreamManager): Promise<SentMail | undefined> {
  try {
    const message = await manager.streams.getMessage("STATUS", {
      last_by_subj: "status.message.sent",
    });
    const fact = message === null ? undefined : factsOf(message).at(-1);
    if (fact?.type !== "status.message.sent") return undefined;
    const { accountId, messageId, at } = fact.data;
    return { accountId, messageId, at: new Date(at) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const codes: number[] = [JetStreamApiCodes.NoMessageFound, JetStreamApiCodes.StreamNotFound];
  return error instanceof JetStreamApiError && codes.includes(error.code);
}

function factsOf(message: { subject: string; json(): unknown }): Fact[] {
  const type = message.subject as FactType;
  const result = Object.hasOwn(EVENTS, type) ? EVENTS[type].safeParse(jsonOf(message)) : null;
  return result?.success ? factsIn({ type, data: result.data } as Outgoing) : [];
}

function jsonOf(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
