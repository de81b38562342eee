import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { newId, webhookSettingsSchema } from "@posthaste/contracts";
import { readMasterKeys, sealingKeyOf, sealSecret, WEBHOOK_SECRET } from "@posthaste/storage";
import { MASTER_KEY } from "../fixture/pods.ts";
import type { Random } from "../random.ts";
import type { FeedEvent } from "../records/records.ts";
import type { Chaos } from "./fault.ts";

/** An endpoint of a customer. */
export interface Receiver extends Disposable {
  readonly url: string;
  /** How often each event was taken, by its id. */
  readonly taken: ReadonlyMap<string, number>;
  /** When each event was taken first. */
  readonly takenAt: ReadonlyMap<string, number>;
}

/** Share of the events whose first request fails: half are refused, half are cut. */
const FAILS_SHARE = 0.1;

/** A server that thinks has requests in flight when a process is killed, or stopped. */
const THINKS_MS = 40;

/** Time after quiet for the deliveries that are left: two retries, and the lease of a lost process. */
const PATIENCE_MS = 60_000;

/** Blames for each event of the feed that did not reach the endpoint, and notes how many came again. */
export async function verifyTaken(
  { blame, note }: Chaos,
  { receiver, feed }: { receiver: Receiver; feed: readonly Pick<FeedEvent, "id" | "type">[] },
): Promise<void> {
  const missing = () => feed.filter(({ id }) => !receiver.taken.has(id));
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await delay(200)) {
    if (missing().length === 0) break;
  }
  for (const { id, type } of missing()) blame("I11", `${type} ${id} did not reach the endpoint`);
  const again = [...receiver.taken.values()].reduce((sum, times) => sum + times - 1, 0);
  note(`${receiver.taken.size} events by webhook, ${again} of them again`);
}

/** An endpoint that was added to an account. */
export interface AddedEndpoint {
  id: string;
  /** Sequence of the last event before it: the endpoint gets only those after it. */
  position: number;
}

/** Adds an endpoint to an account. */
export async function addEndpoint(
  { fixture: { store } }: Pick<Chaos, "fixture">,
  accountId: string,
  url: string,
): Promise<AddedEndpoint> {
  const _id = newId("whk");
  const secret = sealSecret(`whsec_${Buffer.alloc(32, "chaos").toString("base64")}`, {
    ...{ accountId, recordId: _id, field: WEBHOOK_SECRET },
    key: sealingKeyOf(readMasterKeys(MASTER_KEY)),
  });
  const settings = webhookSettingsSchema.parse({ url, maxPerSecond: 500 });
  const created = await store.webhooks.create({
    ...{ _id, accountId, secret, at: new Date(), ...settings },
  });
  return { id: _id, position: created.position };
}

/** Opens an endpoint. @param random If given, it fails at times. */
export async function openReceiver(random?: Random): Promise<Receiver> {
  const taken = new Map<string, number>();
  const takenAt = new Map<string, number>();
  const failed = new Set<string>();
  const server = createServer((request, response) => {
    request.resume().once("end", () => setTimeout(answer, THINKS_MS, request, response));
  });
  function answer({ headers, socket }: IncomingMessage, response: ServerResponse) {
    const id = String(headers["webhook-id"]);
    if (!taken.has(id) && !failed.has(id) && random?.chance(FAILS_SHARE)) {
      failed.add(id);
      if (random.chance(0.5)) socket.destroy();
      else response.writeHead(500).end();
      return;
    }
    taken.set(id, (taken.get(id) ?? 0) + 1);
    if (!takenAt.has(id)) takenAt.set(id, Date.now());
    response.end();
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ...{ taken, takenAt },
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
