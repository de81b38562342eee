import { DeliverPolicy, type JetStreamClient } from "@nats-io/jetstream";
import { EVENTS, type FactType } from "@posthaste/contracts";
import type { Fact } from "./follow_facts.ts";

/** Which facts to read. */
export interface PastFactsOptions {
  /** Those that were stored at this time or later. */
  since: Date;
  /** Only these. */
  types: readonly FactType[];
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
  const consumer = await client.consumers.get("FACTS", {
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
      const type = message.subject as FactType;
      const result = Object.hasOwn(EVENTS, type) ? EVENTS[type].safeParse(jsonOf(message)) : null;
      if (result?.success) yield { type, data: result.data } as Fact;
      if (left === 0) break;
    }
    // They may have come to their age meanwhile.
    if (received === 0) return;
  }
}

function jsonOf(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
