import { DiscardPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { brokerAddress, brokerApi } from "@posthaste/messaging";
import { MongoClient } from "mongodb";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";
import { inFlight } from "./in_flight.ts";

const WIDTH = 32;

/** The subject of baseline events. */
export const SUBJECT = "bare.event";

/** Makes the stream of baseline events. */
export async function openStream(nats: NatsConnection, url: string): Promise<void> {
  const manager = await jetstreamManager(nats, brokerApi(url));
  await manager.streams.add({
    name: "BARE",
    subjects: [SUBJECT],
    max_bytes: 32 * 1024 ** 2,
    discard: DiscardPolicy.Old,
  });
}

/** Writes to the database as durably as an accepted send. */
export async function openInsert({ mongodbUrl, body }: BaselineSettings): Promise<BaselinePart> {
  const mongo = await MongoClient.connect(mongodbUrl, { maxPoolSize: 50 });
  const sends = mongo.db("bare").collection("inserts", {
    writeConcern: { w: "majority", journal: true },
  });
  return {
    run: ({ run }) => inFlight({ count: run, width: WIDTH }, () => sends.insertOne({ body })),
    [Symbol.asyncDispose]: () => mongo.close(),
  };
}

/** Publishes to a stream on disk and waits for the answer. */
export async function openPublish({ natsUrl, body }: BaselineSettings): Promise<BaselinePart> {
  const nats = await connect(brokerAddress(natsUrl));
  await openStream(nats, natsUrl);
  const stream = jetstream(nats);
  return {
    run: ({ run }) => inFlight({ count: run, width: WIDTH }, () => stream.publish(SUBJECT, body)),
    [Symbol.asyncDispose]: () => nats.close(),
  };
}
