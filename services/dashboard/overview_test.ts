import type { TimelineEntry } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestDashboard } from "./_test_dashboard.ts";
import { countsOf, durationsOf } from "./overview.ts";
import { attentionOf } from "./overview_attention.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const at = (time: string) => new Date(`2026-03-10T${time}Z`);
const none = { accepted: 0, sent: 0, failed: 0, deferred: 0, unknown: 0 };

test("GET /api/overview reports counts, queues and missing steps of the setup", async () => {
  await using dashboard = await openTestDashboard({
    now: () => NOW,
    bus: {
      streamStates: () =>
        Promise.resolve(new Map([["MAIL", { messages: 3, oldestAt: at("11:00:00") }]])),
      queueStates: () =>
        Promise.resolve([
          { consumer: "mailer_bulk", stream: "MAIL", waiting: 2, inFlight: 1 },
          { consumer: "mailer_transactional", stream: "MAIL", waiting: 5, inFlight: 0 },
        ]),
    },
  });
  const { own: { viewer, accountId }, foreign, store } = dashboard;
  await store.statistics.note([
    { accountId, at: at("11:00:00"), accepted: 7, sent: 5, failed: 2 },
    { accountId, at: new Date("2026-03-08T00:00:00Z"), sent: 9 },
  ]);
  const { body } = await viewer.get("/api/overview?range=24h");
  assert.deepEqual(body.counts, [
    { at: "2026-03-10T11:00:00.000Z", ...none, accepted: 7, sent: 5, failed: 2 },
  ]);
  assert.deepEqual(body.stages.find(({ stage }: { stage: string }) => stage === "mail"), {
    ...{ stage: "mail", waiting: 7, inHand: 1, oldestAt: "2026-03-10T11:00:00.000Z" },
  });
  assert.deepEqual(body.setup.map(({ isDone }: { isDone: boolean }) => isDone), [
    ...[false, false, false, false],
  ]);
  assert.equal((await viewer.get("/api/overview?range=7d")).body.counts.length, 2);
  assert.equal((await viewer.get("/api/overview?range=9y")).status, 400);
  assert.deepEqual((await foreign.viewer.get("/api/overview")).body.counts, []);
  await store.tokens.create({ accountId, name: "shop", scopes: ["send"] });
  const revoked = await store.tokens.create({
    ...{ accountId: foreign.accountId, name: "old", scopes: ["send"] },
  });
  await store.tokens.revoke(foreign.accountId, revoked.record._id);
  const isTokenDone = async (person: typeof viewer) =>
    (await person.get("/api/overview?range=30d")).body.setup[2].isDone;
  assert.deepEqual([await isTokenDone(viewer), await isTokenDone(foreign.viewer)], [true, false]);
});

test("countsOf() sums 5 minutes to quarters of an hour if days are shown", () => {
  const buckets = ["10:00:00", "10:10:00", "10:15:00"].map((time) => ({
    at: at(time),
    ...none,
    sent: 1,
  }));
  const sums = (range: "24h" | "7d") => countsOf(buckets, range).map(({ sent }) => sent);
  assert.deepEqual(sums("24h"), [1, 1, 1]);
  assert.deepEqual(sums("7d"), [2, 1]);
});

test("durationsOf() returns median and 95th percentile, the slowest stage first", () => {
  const line = (type: TimelineEntry["type"], durationMs?: number): TimelineEntry => ({
    ...{ at: NOW, type, attempt: 0 },
    ...(durationMs === undefined ? {} : { durationMs }),
  });
  const timelines = Array.from({ length: 100 }, (_, index) => [
    line("queued"),
    line("rendered", 1),
    line("sent", index + 1),
  ]);
  assert.deepEqual(durationsOf(timelines), [
    { stage: "mail", count: 100, p50Ms: 50, p95Ms: 95 },
    { stage: "render", count: 100, p50Ms: 1, p95Ms: 1 },
  ]);
  assert.deepEqual(durationsOf([]), []);
});

test("attentionOf() lists what needs a person, and where to look", () => {
  const integration = { _id: "acc_1/4", id: 4, name: "Main", suspended: null };
  const nothing = {
    ...{ integrations: [integration], circuits: [], causes: [], oldest: null },
    ...{ tokens: [], templates: [], now: NOW },
  };
  assert.deepEqual(attentionOf(nothing), []);
  const later = new Date(NOW.getTime() + 86_400_000);
  const found = attentionOf({
    ...nothing,
    integrations: [integration, {
      ...integration,
      _id: "acc_1/5",
      id: 5,
      suspended: { at: NOW, reason: "535" },
    }],
    circuits: [
      { _id: "acc_1/4", failures: 6, openUntil: later, reason: "no answer" },
      { _id: "acc_2/1", failures: 6, openUntil: later, reason: "of another account" },
    ],
    causes: [{
      ...{ state: "failed", reason: "a & b", code: 550, enhanced: null, count: 12 },
      ...{ response: "550 no", messageId: "msg_1" },
    }],
    oldest: { id: "msg_2", sendId: "snd_2", state: "queued", acceptedAt: at("11:49:00") },
    tokens: [
      { name: "soon", expiresAt: later, revokedAt: null },
      { name: "revoked", expiresAt: later, revokedAt: NOW },
      { name: "over", expiresAt: at("11:00:00"), revokedAt: null },
      { name: "never", expiresAt: null, revokedAt: null },
    ],
    templates: [
      { id: 1, kind: "email", name: "Draft", publishedVersion: null },
      { id: 2, kind: "pdf", name: "Done", publishedVersion: 1 },
    ],
  });
  assert.deepEqual(found.map(({ kind, path }) => `${kind} ${path}`), [
    "suspended /integrations/5",
    "unreachable /integrations/4",
    "failures /messages?state=failed&reason=a+%26+b&code=550",
    "waiting /messages/msg_2",
    "token /tokens",
    "unpublished /email-templates/1",
  ]);
  assert.match(found[2]?.title ?? "", /^12 messages failed in the last hour/);
  const young = { id: "msg_2", sendId: "snd_2", state: "queued" as const, acceptedAt: NOW };
  assert.deepEqual(attentionOf({ ...nothing, oldest: young }), []);
});

test("attentionOf() keeps a server that fails until it works again, with the next try", () => {
  const integration = { _id: "acc_1/4", id: 4, name: "Main", suspended: null };
  const circuit = { _id: "acc_1/4", failures: 6, reason: "no answer" };
  const titles = (openUntil: Date | null, more: object = {}) =>
    attentionOf({
      ...{ integrations: [integration], circuits: [{ ...circuit, openUntil, ...more }] },
      ...{ causes: [], oldest: null, tokens: [], templates: [], now: NOW },
    }).map(({ title }) => title);
  const dead = ['The server of "Main" cannot be reached: 6 failures in a row'];
  assert.deepEqual(titles(at("12:01:00")), dead);
  assert.deepEqual(titles(at("11:59:00")), dead);
  assert.deepEqual(titles(null), [], "it has failed too seldom for a pause");
  const refused = { loginRefusedAt: at("11:58:30") };
  assert.deepEqual(titles(at("12:01:00"), refused), [
    'The server of "Main" refused the login. Next try in a minute',
  ]);
  assert.deepEqual(titles(at("11:59:00"), refused), [
    'The server of "Main" refused the login. Next try with the next message',
  ]);
});

test("attentionOf() lists a suspended integration once, whatever is left of its circuit", () => {
  const suspended = { at: NOW, reason: "535" };
  const found = attentionOf({
    integrations: [{ _id: "acc_1/4", id: 4, name: "Main", suspended }],
    circuits: [{
      ...{ _id: "acc_1/4", failures: 0, openUntil: at("12:01:00"), reason: "535" },
      loginRefusedAt: at("11:58:30"),
    }],
    ...{ causes: [], oldest: null, tokens: [], templates: [], now: NOW },
  });
  assert.deepEqual(found.map(({ kind }) => kind), ["suspended"]);
});

test("attentionOf() says that a person has paused an integration", () => {
  const suspended = { at: NOW, reason: "paused by Ann", kind: "person" as const };
  const [found] = attentionOf({
    integrations: [{ _id: "acc_1/4", id: 4, name: "Main", suspended }],
    ...{ circuits: [], causes: [], oldest: null, tokens: [], templates: [], now: NOW },
  });
  assert.equal(found?.title, 'Integration "Main" is paused: its messages are waiting');
});
