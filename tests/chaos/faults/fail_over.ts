import { setTimeout as delay } from "node:timers/promises";
import type { Message } from "@posthaste/contracts";
import { SENDER } from "../fixture/account.ts";
import { type LeavingServer, openLeavingServer } from "../fixture/leaving_server.ts";
import { DATABASE } from "../records/read_records.ts";
import type { Chaos, Fault } from "./fault.ts";

/**
 * The server of an integration goes away and comes back, beside a fallback. Both deliver to one receiving
 * server, whose record shows what came twice.
 */
export const FAIL_OVER: Fault = {
  name: "fail-over",
  description:
    "The server of an integration goes away beside a fallback, and the tracker is killed meanwhile",
  // Replies are lost with the server: what it may have must go nowhere else.
  whenUnknown: "hold",
  backlog: 0.4,
  async run(chaos) {
    const { fixture: { pods }, random, pause, count } = chaos;
    const server = await putServerInFront(chaos);
    while (await pause(random.integer(500, 1500))) {
      noteCut(chaos);
      await server.leave();
      noteCut(chaos);
      count("other", "server away");
      await delay(random.integer(500, 2000));
      const [tracker] = pods.running("tracker");
      if (tracker !== undefined) {
        await pods.end(tracker, "SIGKILL");
        count("crash", "tracker");
        await pods.start("tracker");
      }
      await delay(random.integer(3000, 6000));
      await server.comeBack();
    }
    return async () => {
      await using _ = server;
      await verify(chaos);
    };
  },
};

/** Connects a server that can go away, and adds a fallback to the account's integration. */
async function putServerInFront(
  { fixture: { store }, account: { accountId, integrationId } }: Chaos,
): Promise<LeavingServer> {
  const own = await store.integrations.find(accountId, integrationId);
  if (own === null) throw new Error("Cannot do this fault: the account has no integration");
  const { host, port, tls, maxConnections, whenUnknown } = own;
  const fallback = await store.integrations.create({
    ...{ accountId, name: "fallback", host, port, tls, auth: null, senders: [SENDER] },
    ...{ maxConnections, whenUnknown },
  });
  const server = await openLeavingServer(port);
  const changes = { port: server.port, fallbacks: [fallback.id] };
  await store.integrations.update(accountId, integrationId, changes);
  return server;
}

/** The outcome of what mailers have in flight may be unknown to them. */
function noteCut({ fixture: { pods } }: Chaos): void {
  const at = Date.now();
  for (const { name: mailer } of pods.running("mailer")) {
    pods.interruptions.push({ mailer, kind: "cut", at });
  }
}

/** Checks that some mail went by the fallback, and none that another server may have had. */
async function verify({ fixture: { mongo }, account, blame, note }: Chaos): Promise<void> {
  const { accountId } = account;
  const messages = await mongo.db(DATABASE).collection<Message>("messages").find({ accountId })
    .toArray();
  let elsewhere = 0;
  for (const { _id, state, timeline } of messages) {
    const used = timeline.map(({ integrationId }) => integrationId !== undefined);
    if (state === "sent" && used.at(-1)) elsewhere++;
    const unknown = timeline.findIndex(({ ambiguous }) => ambiguous);
    if (unknown === -1) continue;
    const next = timeline.findIndex(({ type }, at) => at > unknown && type === "sending");
    if (next !== -1) blame("I3", `${_id} was sent again after an unknown outcome`);
  }
  note(`${elsewhere} by the fallback`);
  if (elsewhere === 0) blame("I1", "no mail went by the fallback");
}
