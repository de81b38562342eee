import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Message } from "@posthaste/contracts";
import type { MongoClient } from "mongodb";
import type { BrokerLedger, ServiceLedger } from "./records.ts";
import { FINAL_STATES } from "./open_mails.ts";

/** Name of the database. */
export const DATABASE = "posthaste";

interface StoredSummary {
  _id: string;
  accountId: string;
  messageCount: number;
  settledAt: Date | null;
}

/** Reads an account's records in the database. */
export async function readServiceLedger(
  mongo: MongoClient,
  accountId: string,
): Promise<ServiceLedger> {
  const db = mongo.db(DATABASE);
  const heads = await db.collection<StoredSummary>("sends").find({ accountId })
    .project<StoredSummary>({ request: 0 }).toArray();
  const messages = await db.collection<Message>("messages").find({ accountId }).toArray();
  const keys = await db.collection<{ _id: string; sendId: string }>("idempotency_keys")
    .find({ _id: { $gte: `${accountId}/`, $lt: `${accountId}0` } }).toArray();
  const keyOf = new Map(keys.map(({ _id, sendId }) => [sendId, _id.slice(accountId.length + 1)]));
  return {
    sends: heads.map(({ _id, messageCount, settledAt }) => ({
      id: _id,
      key: keyOf.get(_id),
      messageCount,
      settled: settledAt !== null,
    })),
    messages: messages.map((message) => ({
      id: message._id,
      sendId: message.sendId,
      email: message.email,
      acceptedAt: message.acceptedAt.getTime(),
      state: message.state,
      attempt: message.attempt,
      reason: message.reason,
      reply: message.reply,
      timeline: message.timeline.map(({ at, type, attempt, detail, ambiguous = false }) => ({
        at: at.getTime(),
        type,
        attempt,
        ambiguous,
        ...(detail === undefined ? {} : { detail }),
      })),
    })),
  };
}

/** How many messages of an account are in which state; those without a document are `queued`. */
export async function countStates(
  mongo: MongoClient,
  accountId: string,
): Promise<Record<string, number>> {
  const db = mongo.db(DATABASE);
  const [total] = await db.collection("sends").aggregate<{ count: number }>([
    { $match: { accountId } },
    { $group: { _id: null, count: { $sum: "$messageCount" } } },
  ]).toArray();
  const groups = await db.collection("messages").aggregate<{ _id: string; count: number }>([
    { $match: { accountId } },
    { $group: { _id: "$state", count: { $sum: 1 } } },
  ]).toArray();
  const states = Object.fromEntries(groups.map(({ _id, count }) => [_id, count]));
  const known = groups.reduce((sum, { count }) => sum + count, 0);
  return { ...states, queued: (states["queued"] ?? 0) + (total?.count ?? 0) - known };
}

/** Returns the maximum attempts of an unfinished message. */
export async function maxAttempts(mongo: MongoClient, accountId: string): Promise<number> {
  const open = { accountId, state: { $nin: FINAL_STATES } };
  const [first] = await mongo.db(DATABASE).collection<Message>("messages").find(open)
    .sort({ attempt: -1 }).limit(1).toArray();
  return first?.attempt ?? 0;
}

/** Streams of work, which must be empty in the end. */
const WORK = ["RENDER_NOW", "RENDER", "PRINT", "MAIL"];

/**
 * The order in which events move on: an event that leaves a stream after it was read is in one that is read
 * later.
 */
const IN_ORDER = [...WORK, "STATUS"];

/** Reads the remaining events of the broker, in an order that misses no moving event. */
export async function readBrokerLedger(url: string): Promise<BrokerLedger> {
  const connection = await connect({ servers: url.split(","), name: "chaos", timeout: 5000 });
  try {
    const manager = await jetstreamManager(connection);
    const ledger: BrokerLedger = { streams: {}, consumers: {} };
    const there = new Set<string>();
    for await (const name of manager.streams.names()) there.add(name);
    for (const name of IN_ORDER.filter((stream) => there.has(stream))) {
      if (WORK.includes(name)) {
        ledger.streams[name] = (await manager.streams.info(name)).state.messages;
      }
      for await (const consumer of manager.consumers.list(name)) {
        ledger.consumers[consumer.name] = {
          unsettled: consumer.num_ack_pending,
          waiting: consumer.num_pending,
        };
      }
    }
    return ledger;
  } finally {
    await connection.close();
  }
}
