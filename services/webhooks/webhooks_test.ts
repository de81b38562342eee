import { randomBytes } from "node:crypto";
import { once } from "node:events";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  newId,
  type Webhook,
  type WebhookSettings,
  webhookSettingsSchema,
} from "@posthaste/contracts";
import { finiteFieldCiphers, openTestMongo, until } from "@posthaste/kit";
import { openSemaphore, openTokenBuckets, type TokenBuckets } from "@posthaste/limits";
import {
  openStore,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
  type Store,
  WEBHOOK_SECRET,
} from "@posthaste/storage";
import { startTelemetry } from "@posthaste/telemetry";
import { CONFIG, openWebhookEgress } from "./config.ts";
import { drain } from "./drain.ts";
import { MAX_CONCURRENCY } from "./endpoint_state.ts";
import { CLAIM_TIMES, followEndpoints } from "./follow_endpoints.ts";
import { openPoster } from "./post.ts";
import { signatureOf } from "./sign.ts";
import { testStep } from "./test_step.ts";
import { unsealer } from "./unseal.ts";

/** A request that the server received. */
interface Heard {
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** As in main.ts. */
const IN_FLIGHT_PER_ACCOUNT = 8;

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const keys = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
const stack = new AsyncDisposableStack();
const heard: Heard[] = [];
/** Answers by path; others get 200. */
const answers = new Map<string, (request: Heard, response: ServerResponse) => void>();
let base: string;
let connections = 0;
let store: Store;
let skewMs = 0;

before(async () => {
  const { url } = stack.use(await openTestMongo());
  store = stack.use(await openStore({ url }));
  await store.ensureIndexes();
  const server = createServer((request, response) => void answer(request, response));
  server.on("connection", () => connections++);
  stack.defer(() => server.closeAllConnections());
  stack.defer(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => stack.disposeAsync());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  const one = { path: request.url ?? "", headers: request.headers, body };
  heard.push(one);
  const own = answers.get(one.path);
  if (own === undefined) response.end("taken");
  else own(one, response);
}

/** Opens the parts of the service as main.ts does. */
function openParts(
  { allow = ["127.0.0.0/8"], timeoutMs = 2000 }: { allow?: string[]; timeoutMs?: number } = {},
) {
  const egress = openWebhookEgress({ WEBHOOK_PORTS: ["443"], EGRESS_ALLOW: allow });
  const poster = openPoster({ ...egress, timeoutMs });
  const buckets = openTokenBuckets({ perMs: 1, burst: 1000 });
  return {
    ...store,
    ...{ poster, unseal: unsealer(keys), holder: randomBytes(4).toString("hex") },
    permits: openSemaphore({ max: 64, maxPerOwner: IN_FLIGHT_PER_ACCOUNT }),
    rateOf: (_perSecond: number): Pick<TokenBuckets, "take"> => buckets,
    now: () => new Date(Date.now() + skewMs),
    logger: { info() {}, warn() {} },
    [Symbol.dispose]: () => poster[Symbol.dispose](),
  };
}

async function addWebhook(
  accountId: string,
  path: string,
  changes: Partial<WebhookSettings> = {},
): Promise<Webhook> {
  const _id = newId("whk");
  const binding = { accountId, recordId: _id, field: WEBHOOK_SECRET };
  const secret = sealSecret(SECRET, { ...binding, key: sealingKeyOf(keys) });
  const settings = webhookSettingsSchema.parse({ url: `${base}${path}`, ...changes });
  return await store.webhooks.create({
    _id,
    accountId,
    secret,
    at: new Date(),
    ...settings,
  });
}

let count = 0;
async function happen(accountId: string, times = 1, integrationId = 1): Promise<string[]> {
  const events = Array.from({ length: times }, () => ({
    ...{ _id: `evt_${String(count++).padStart(6, "0")}`, accountId, at: new Date() },
    ...{ type: "integration.paused" as const, data: { integrationId, reason: "x" } },
  }));
  await store.events.record(events);
  return events.map(({ _id }) => _id);
}

const idsAt = (path: string) =>
  heard.filter((one) => one.path === path).map(({ headers }) => headers["webhook-id"]);

const found = async ({ accountId, _id }: Webhook) => {
  const webhook = await store.webhooks.find(accountId, _id);
  assert.ok(webhook);
  return webhook;
};

/** Claims an endpoint and posts its new events, once. */
async function drainOnce(webhook: Webhook, parts: ReturnType<typeof openParts>): Promise<Webhook> {
  await store.webhooks.claim({ holder: parts.holder, forMs: 60_000, limit: 50 });
  await drain(await found(webhook), parts, AbortSignal.timeout(10_000));
  return await found(webhook);
}

test("post() offers no key exchange whose size the endpoint chooses", async () => {
  using parts = openParts();
  const offered = await finiteFieldCiphers((port) =>
    parts.poster.post({
      ...{ accountId: "acc_1", url: `https://127.0.0.1:${port}/`, headers: {}, body: "{}" },
    }, AbortSignal.timeout(5000))
  );
  assert.deepEqual(offered, []);
});

test("drain() posts each event once, signed, in the order of the feed", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_ok", "/ok", { maxPerSecond: 500 });
  const ids = await happen("acc_ok", 12);
  const { position, health } = await drainOnce(webhook, parts);
  assert.deepEqual(idsAt("/ok").toSorted(), ids);
  assert.deepEqual([position, health.failures], [12, 0]);
  const { headers, body } = heard.find(({ path }) => path === "/ok") as Heard;
  const signed = {
    ...{ id: String(headers["webhook-id"]), body },
    timestamp: Number(headers["webhook-timestamp"]),
  };
  assert.equal(headers["webhook-signature"], signatureOf(signed, [SECRET]));
  assert.equal(JSON.parse(body).type, "integration.paused");
  const [delivery] = await store.webhooks.listDeliveries("acc_ok", webhook._id, { limit: 1 });
  assert.deepEqual([delivery?.state, delivery?.attempts[0]?.answer], ["delivered", "taken"]);
});

test("drain() posts no more to an endpoint that was changed than it had begun", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_changed", "/leaked");
  let isChanged = false;
  answers.set("/leaked", (_, response) => {
    const changes = { url: `${base}/safe`, at: new Date(Date.now() + 5) };
    const changing = isChanged
      ? Promise.resolve()
      : store.webhooks.update("acc_changed", webhook._id, changes);
    isChanged = true;
    void changing.then(() => response.end());
  });
  const ids = await happen("acc_changed", 130);
  const { position } = await drainOnce(webhook, parts);
  // Those of one look at the feed.
  assert.equal(idsAt("/leaked").length, 100);
  assert.equal(position, 100);
  await drainOnce(webhook, parts);
  assert.deepEqual(idsAt("/safe").toSorted(), ids.slice(100));
});

test("drain() leaves out what the endpoint does not want", async () => {
  using parts = openParts();
  const filter = { templateIds: [], integrationIds: [2], tags: [] };
  const webhook = await addWebhook("acc_some", "/some", { filter });
  await happen("acc_some", 3, 1);
  const [wanted] = await happen("acc_some", 1, 2);
  assert.equal((await drainOnce(webhook, parts)).position, 4);
  assert.deepEqual(idsAt("/some"), [wanted]);
});

test("drain() continues past an event that fails, and retries it when due", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_one", "/one");
  const [bad, ...others] = await happen("acc_one", 4);
  answers.set("/one", ({ headers }, response) => {
    response.writeHead(headers["webhook-id"] === bad ? 500 : 204).end();
  });
  assert.equal((await drainOnce(webhook, parts)).position, 4);
  const failing = await store.webhooks.findDelivery("acc_one", webhook._id, bad ?? "");
  assert.deepEqual([failing?.state, failing?.tries], ["retrying", 1]);
  assert.equal(failing?.attempts[0]?.error, "The endpoint answered 500");
  answers.delete("/one");
  skewMs = 6000;
  await drainOnce(webhook, parts);
  skewMs = 0;
  assert.deepEqual(idsAt("/one").toSorted(), [bad, bad, ...others]);
  const delivered = await store.webhooks.findDelivery("acc_one", webhook._id, bad ?? "");
  assert.deepEqual([delivered?.state, delivered?.attempts.length], ["delivered", 2]);
  // A replay posts the same event.
  const [accountId, eventId] = ["acc_one", bad ?? ""];
  await store.webhooks.replayDeliveries(accountId, webhook._id, { eventId }, new Date());
  await drainOnce(webhook, parts);
  assert.equal(idsAt("/one").filter((id) => id === bad).length, 3);
});

test("drain() counts requests by outcome", async () => {
  await using telemetry = await startTelemetry({ service: "webhooks", env: {}, prometheus: true });
  using parts = openParts();
  const webhook = await addWebhook("acc_counted", "/counted");
  const [bad] = await happen("acc_counted", 3);
  answers.set("/counted", ({ headers }, response) => {
    response.writeHead(headers["webhook-id"] === bad ? 500 : 204).end();
  });
  await drainOnce(webhook, parts);
  const { body = "" } = await telemetry.readMetrics?.(undefined) ?? {};
  const counted = [...body.matchAll(/^posthaste_webhook_deliveries_total\{.*="(\w+)"\} (\d+)$/gm)];
  assert.deepEqual(Object.fromEntries(counted.map(([, outcome, value]) => [outcome, value])), {
    ...{ delivered: "2", retrying: "1" },
  });
});

test("drain() keeps the position of an endpoint that is down, and loses nothing", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_down", "/down");
  const ids = await happen("acc_down", 20);
  answers.set("/down", (_, response) => response.destroy());
  const down = await drainOnce(webhook, parts);
  assert.ok(down.health.failures >= 5 && down.position < 20);
  const tried = heard.length;
  await drainOnce(webhook, parts);
  assert.equal(heard.length, tried);
  skewMs = 1_000_000;
  const still = await drainOnce(webhook, parts);
  assert.deepEqual([still.position, heard.length], [down.position, tried + 1]);
  answers.delete("/down");
  heard.length = 0;
  skewMs = 7_200_000;
  const back = await drainOnce(webhook, parts);
  skewMs = 0;
  assert.deepEqual([back.position, back.health.failures], [20, 0]);
  assert.deepEqual(idsAt("/down").toSorted(), ids);
});

test("drain() uses the connections of an endpoint again for the next part of its feed", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_kept", "/kept");
  let waiting: ServerResponse[] = [];
  answers.set("/kept", (_, response) => {
    // All four requests are in flight at the same time, and end together.
    waiting.push(response);
    if (waiting.length < MAX_CONCURRENCY) return;
    for (const each of waiting) each.end();
    waiting = [];
  });
  connections = 0;
  await happen("acc_kept", 12);
  await drainOnce(webhook, parts);
  await happen("acc_kept", 12);
  assert.equal((await drainOnce(webhook, parts)).position, 24);
  assert.equal(connections, MAX_CONCURRENCY);
});

test("drain() disables an endpoint that answers 410, and reports it in the feed", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_gone", "/gone");
  await happen("acc_gone");
  answers.set("/gone", (_, response) => response.writeHead(410).end());
  assert.equal((await drainOnce(webhook, parts)).disabled?.by, "gone");
  const { events } = await store.events.list("acc_gone", { after: 1, limit: 9 });
  const reason = "The endpoint answered 410: it accepts no more requests";
  assert.deepEqual(events.map(({ type, data }) => [type, data]), [
    ["webhook.disabled", { webhookId: webhook._id, reason }],
  ]);
});

test("drain() follows no redirect and reaches nothing that is not allowed", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_away", "/away");
  await happen("acc_away");
  answers.set("/away", (_, response) => {
    response.writeHead(302, { location: `${base}/elsewhere` }).end();
  });
  assert.equal((await drainOnce(webhook, parts)).health.lastFailure?.status, 302);
  assert.deepEqual(idsAt("/elsewhere"), []);
  using strict = openParts({ allow: [] });
  const before = heard.length;
  const inside = await addWebhook("acc_inside", "/inside");
  await happen("acc_inside");
  const { health } = await drainOnce(inside, strict);
  assert.equal(heard.length, before);
  assert.match(health.lastFailure?.error ?? "", /not public/);
});

test("drain() posts without encryption only where the operator allows it", async () => {
  using parts = openParts({ allow: [] });
  const webhook = await addWebhook("acc_plain", "", { url: "http://203.0.114.1:443/hooks" });
  await happen("acc_plain");
  const { health } = await drainOnce(webhook, parts);
  assert.equal(health.lastFailure?.error, "The URL must begin with https");
});

test("drain() ends a request that is not answered in time, and keeps 1 KB of an answer", async () => {
  using parts = openParts({ timeoutMs: 300 });
  const webhook = await addWebhook("acc_late", "/late");
  const [silent, long] = await happen("acc_late", 2);
  answers.set("/late", ({ headers }, response) => {
    if (headers["webhook-id"] === long) response.end("x".repeat(3000));
  });
  await drainOnce(webhook, parts);
  const find = async (id = "") => await store.webhooks.findDelivery("acc_late", webhook._id, id);
  const [late] = (await find(silent))?.attempts ?? [];
  assert.deepEqual([late?.status, late?.error], [
    ...[null, "The endpoint did not answer within 0.3 s"],
  ]);
  assert.equal((await find(long))?.attempts[0]?.answer?.length, 1024);
});

test("drain() makes no request before the rate of its endpoint allows it", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_rate", "/rate", { maxPerSecond: 7 });
  const ids = await happen("acc_rate", 5);
  const rates: number[] = [];
  const taken: string[] = [];
  let asked = 0;
  let isEarly = false;
  const rateOf = (perSecond: number) => {
    rates.push(perSecond);
    return { take: (key: string) => ++asked % 2 === 1 ? 1 : taken.push(key) && 0 };
  };
  answers.set("/rate", (_, response) => {
    isEarly ||= idsAt("/rate").length > taken.length;
    response.end();
  });
  await drainOnce(webhook, { ...parts, rateOf });
  assert.deepEqual(idsAt("/rate").toSorted(), ids);
  assert.ok(!isEarly);
  assert.deepEqual([rates, taken], [[7], Array(5).fill(webhook._id)]);
});

test("followEndpoints() is not delayed by another account's endpoints that hang", async () => {
  using parts = openParts({ timeoutMs: 60_000 });
  const stop = new AbortController();
  const hanging = [1, 2, 3].map((number) => `/hangs?${number}`);
  for (const path of hanging) {
    answers.set(path, () => {});
    await addWebhook("acc_hangs", path);
  }
  const quick = await addWebhook("acc_quick", "/quick");
  const tried = () => hanging.flatMap(idsAt).length;
  let looks = 0;
  let drainedAt: number | undefined;
  const following = followEndpoints({
    ...parts,
    events: {
      ...parts.events,
      grown(feeds) {
        looks += 1;
        return parts.events.grown(feeds);
      },
    },
    async drain(webhook, signal) {
      const look = looks;
      await drain(webhook, parts, signal);
      if (webhook._id === quick._id) drainedAt = look;
    },
  }, { everyMs: 20, signal: stop.signal });
  await happen("acc_hangs", 50);
  // The account holds all its places. None of its requests ends in this test.
  await until(() => tried() === IN_FLIGHT_PER_ACCOUNT && drainedAt !== undefined);
  drainedAt = undefined;
  const ids = await happen("acc_quick", 3);
  const recordedAt = looks;
  await until(() => drainedAt !== undefined);
  assert.deepEqual(idsAt("/quick").toSorted(), ids);
  // The first look after the events finds them, and a look waits for no request: within a second by default.
  assert.ok(drainedAt !== undefined && drainedAt <= recordedAt + 1);
  assert.ok(CONFIG.shape.WEBHOOK_LOOK_INTERVAL.parse(undefined) <= 500);
  assert.equal(tried(), IN_FLIGHT_PER_ACCOUNT);
  stop.abort();
  await following;
  // A process that ends gives its claims back: another one has them immediately.
  assert.deepEqual(await store.webhooks.listHeld(parts.holder), []);
  const next = await store.webhooks.claim({ holder: "next", forMs: 60_000, limit: 100 });
  assert.ok(next.some(({ _id }) => _id === quick._id));
  await store.webhooks.leave("next");
});

test("followEndpoints() claims so often that endpoints of a lost process wait for at most 10 s", () => {
  assert.ok(CLAIM_TIMES.forMs + CLAIM_TIMES.everyMs <= 10_000);
  // One claim may fail.
  assert.ok(CLAIM_TIMES.forMs > 2 * CLAIM_TIMES.everyMs);
});

test("followEndpoints() stops posting to endpoints that it has lost, or cannot claim", async () => {
  using parts = openParts();
  const stop = new AbortController();
  using _stop = { [Symbol.dispose]: () => stop.abort() };
  const aborted = new Set<string>();
  let isAway = false;
  const following = followEndpoints({
    ...parts,
    webhooks: {
      ...parts.webhooks,
      claim: (claim) =>
        isAway ? once(stop.signal, "abort").then(() => []) : parts.webhooks.claim(claim),
    },
    async drain({ _id }, signal) {
      await once(signal, "abort");
      aborted.add(_id);
    },
  }, { everyMs: 10, claim: { everyMs: 20, forMs: 2000 }, signal: stop.signal });
  const off = await addWebhook("acc_lost", "/off");
  const kept = await addWebhook("acc_lost", "/kept");
  const isHeld = async () =>
    (await store.webhooks.listHeld(parts.holder)).filter(({ accountId }) =>
      accountId === "acc_lost"
    );
  await until(async () => (await isHeld()).length === 2);
  await store.webhooks.disable("acc_lost", off._id, { at: new Date(), by: "person", reason: "x" });
  await until(() => aborted.has(off._id));
  assert.ok(!aborted.has(kept._id));
  isAway = true;
  await until(() => aborted.has(kept._id));
  stop.abort();
  await following;
});

test("claim() assigns each endpoint to one process alone", async () => {
  const webhook = await addWebhook("acc_lease", "/lease");
  const hold = async (holder: string, forMs: number) => {
    await store.webhooks.claim({ holder, forMs, limit: 100 });
    return (await store.webhooks.listHeld(holder)).some(({ _id }) => _id === webhook._id);
  };
  await store.webhooks.leave("one");
  assert.deepEqual([await hold("one", 60_000), await hold("two", 60_000)], [true, false]);
  assert.ok(!await store.webhooks.save(webhook, "two", { position: 9 }));
  // It is renewed for a moment, and then no more.
  await store.webhooks.claim({ holder: "one", forMs: 1, limit: 100 });
  await delay(20);
  assert.deepEqual([await hold("two", 60_000), await hold("one", 60_000)], [true, false]);
  await store.webhooks.leave("two");
});

test("drain() of a process that had lost its claim moves no position back", async () => {
  using zombie = openParts();
  using other = openParts();
  const webhook = await addWebhook("acc_zombie", "/zombie");
  const held: ServerResponse[] = [];
  answers.set("/zombie", (_, response) => void held.push(response));
  await happen("acc_zombie", 3);
  await store.webhooks.claim({ holder: zombie.holder, forMs: 50, limit: 100 });
  const draining = drain(await found(webhook), zombie, AbortSignal.timeout(10_000));
  await until(() => held.length === 3);
  answers.delete("/zombie");
  await delay(100);
  await happen("acc_zombie", 2);
  assert.equal((await drainOnce(webhook, other)).position, 5);
  await store.webhooks.leave(other.holder);
  await store.webhooks.claim({ holder: zombie.holder, forMs: 60_000, limit: 100 });
  for (const response of held) response.end();
  await draining;
  assert.equal((await found(webhook)).position, 5);
  // Only the three that were in flight came again.
  assert.equal(idsAt("/zombie").length, 3 + 5);
  await store.webhooks.leave(zombie.holder);
});

test("testStep() posts a test event and returns what the endpoint answered", async () => {
  using parts = openParts();
  const webhook = await addWebhook("acc_test", "/test");
  answers.set("/test", (_, response) => response.writeHead(401).end("who is it?"));
  const step = testStep({ ...parts, signal: AbortSignal.timeout(10_000) });
  const ask = async (accountId: string) => {
    const data = { v: 2 as const, accountId, webhookId: webhook._id };
    const verdict = await step.handle({ data } as never, undefined as never);
    return verdict.type === "done" ? verdict.replies?.[0] as Record<string, unknown> : undefined;
  };
  const { durationMs: _, ...reply } = await ask("acc_test") ?? {};
  assert.deepEqual(reply, {
    ...{ ok: false, status: 401, error: "The endpoint answered 401", answer: "who is it?" },
  });
  assert.equal((await ask("acc_other"))?.["error"], "There is no such endpoint");
  assert.equal(JSON.parse(heard.at(-1)?.body ?? "").type, "webhook.test");
});
