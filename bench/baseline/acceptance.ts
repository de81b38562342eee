import { randomUUID } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { brokerAddress } from "@posthaste/messaging";
import { fastify } from "fastify";
import { MongoClient } from "mongodb";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";
import { openStream, SUBJECT } from "./floors.ts";

/**
 * Opens the minimum that accepts a send as durably: Fastify, one write known to a majority and on disk, and
 * one event after the answer. It has no validation and no authentication.
 */
export async function openAcceptance(settings: BaselineSettings): Promise<BaselinePart> {
  const mongo = await MongoClient.connect(settings.mongodbUrl, { maxPoolSize: 50 });
  const sends = mongo.db("bare").collection<{ _id: string; request: string }>("sends", {
    writeConcern: { w: "majority", journal: true },
  });
  const nats = await connect(brokerAddress(settings.natsUrl));
  await openStream(nats, settings.natsUrl);
  const stream = jetstream(nats);
  const app = fastify({ logger: false });
  app.post("/send", async ({ body }) => {
    const request = JSON.stringify(body);
    const _id = randomUUID();
    await sends.insertOne({ _id, request });
    stream.publish(SUBJECT, request, { msgID: _id }).catch(() => undefined);
    return { status: "success", id: _id };
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    url: `${url}/send`,
    async [Symbol.asyncDispose]() {
      await app.close();
      await nats.close();
      await mongo.close();
    },
  };
}
