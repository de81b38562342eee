import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_REPLAY, type TokenLimits } from "@posthaste/contracts";
import { openSecret, readMasterKeys, WEBHOOK_SECRET } from "@posthaste/storage";
import { openTestDashboard, TEST_WEBHOOK_KEY, type TestDashboard } from "./_test_dashboard.ts";

const asked: unknown[] = [];
let dashboard: TestDashboard;
before(async () => {
  const reply = { ok: true, status: 204, durationMs: 12, error: null, answer: "" };
  const ask = (...question: unknown[]) => Promise.resolve((asked.push(question), reply));
  dashboard = await openTestDashboard({ bus: { ask: ask as never } });
});
after(() => dashboard?.[Symbol.asyncDispose]());

const NEW = { url: "https://shop.example.com/hooks", types: ["message.failed"] };

let made = 0;
async function create(changes: object = {}) {
  const input = { ...NEW, url: `${NEW.url}/${made++}`, ...changes };
  const { status, body } = await dashboard.own.editor.post("/api/webhooks", input);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

test("POST /api/webhooks creates an endpoint, and shows its secret only once", async () => {
  const { own, store } = dashboard;
  const { webhook, secret } = await create();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { id, state, behind, maxPerSecond, withAddress } = webhook;
  assert.deepEqual({ state, behind, maxPerSecond, withAddress }, {
    ...{ state: "ready", behind: 0, maxPerSecond: 50, withAddress: false },
  });
  const list = await own.viewer.get("/api/webhooks");
  assert.deepEqual(list.body, [webhook]);
  assert.ok(!list.text.includes(secret) && !list.text.includes("sealed"));
  const stored = await store.webhooks.find(own.accountId, id);
  const [sealed] = stored?.secrets ?? [];
  const binding = { accountId: own.accountId, recordId: id, field: WEBHOOK_SECRET };
  const keys = readMasterKeys(TEST_WEBHOOK_KEY);
  assert.equal(sealed && openSecret(sealed.sealed, { ...binding, keys }), secret);
  const [line] = await store.audit.list(own.accountId, { limit: 1 });
  assert.deepEqual([line?.action, line?.details], ["webhook.created", {
    host: "shop.example.com",
  }]);
});

test("POST /manage/v1/webhooks creates an endpoint by a token, unless it is limited to some mail", async () => {
  const { own: { accountId, viewer }, store, program } = dashboard;
  const programOf = async (limits: Partial<TokenLimits>) =>
    program(
      (await store.tokens.create({
        ...{ accountId, name: "CI", scopes: ["manage:webhooks"] },
        limits,
      })).token,
    );
  const whole = await programOf({});
  const input = { ...NEW, url: `${NEW.url}/by-token` };
  const { status, body: { webhook, secret } } = await whole.post("/manage/v1/webhooks", input);
  assert.deepEqual([status, secret.slice(0, 6)], [200, "whsec_"]);
  const path = `/manage/v1/webhooks/${webhook.id}`;
  const disabled = await whole.post(`${path}/disable`, {});
  assert.match(disabled.body.disabledReason, /^Disabled by token "CI" \(ph_/);
  assert.deepEqual((await viewer.get(`/api/webhooks/${webhook.id}`)).body.state, "disabled");
  for (const limits of [{ templates: [1] }, { integrations: [1] }]) {
    const limited = await programOf(limits);
    const answers = [
      await limited.post("/manage/v1/webhooks", input),
      await limited.get("/manage/v1/webhooks"),
      await limited.get(path),
      await limited.get(`${path}/deliveries`),
      await limited.delete(path),
    ];
    assert.deepEqual(answers.map(({ body: { code } }) => code), Array(5).fill("missing_scope"));
  }
  assert.equal((await whole.delete(path)).status, 200);
});

test("PATCH /api/webhooks/:id changes only the given fields, and nothing of another account", async () => {
  const { own, foreign } = dashboard;
  const { webhook: { id } } = await create();
  const path = `/api/webhooks/${id}`;
  const { body } = await own.editor.patch(path, { description: "Shop" });
  assert.deepEqual([body.description, body.types], ["Shop", ["message.failed"]]);
  assert.equal((await foreign.owner.get(path)).status, 404);
  assert.equal((await foreign.owner.patch(path, { description: "x" })).status, 404);
  assert.equal((await foreign.owner.delete(path)).status, 404);
  assert.equal((await own.editor.delete(path)).status, 403);
  assert.equal((await own.owner.delete(path)).status, 200);
  assert.equal((await own.viewer.get(path)).status, 404);
});

test("POST /api/webhooks/:id/rotate-secret makes both secrets sign until a given time", async () => {
  const { own, store } = dashboard;
  const { webhook: { id }, secret } = await create();
  const { body } = await own.editor.post(`/api/webhooks/${id}/rotate-secret`, { overlapHours: 2 });
  assert.notEqual(body.secret, secret);
  const { secrets = [] } = await store.webhooks.find(own.accountId, id) ?? {};
  const left = (secrets[1]?.until?.getTime() ?? 0) - Date.now();
  assert.deepEqual([secrets.length, secrets[0]?.until], [2, null]);
  assert.ok(left > 7_000_000 && left <= 7_200_000);
});

test("POST /api/webhooks/:id/enable continues where it stopped, or from now", async () => {
  const { own, store } = dashboard;
  const { accountId } = own;
  const { webhook: { id } } = await create();
  const path = `/api/webhooks/${id}`;
  assert.equal((await own.editor.post(`${path}/disable`)).body.state, "disabled");
  const at = new Date();
  await store.events.record(
    [1, 2].map((n) => ({
      ...{ _id: `evt_first_${n}`, accountId, at, type: "integration.paused" },
      data: { integrationId: 1, reason: "x" },
    })),
  );
  const enabled = await own.editor.post(`${path}/enable`);
  assert.deepEqual([enabled.body.state, enabled.body.behind], ["ready", 2]);
  const skipped = await own.editor.post(`${path}/enable`, { skip: true });
  assert.equal(skipped.body.behind, 0);
});

test("POST /api/webhooks/:id/test asks the webhooks service", async () => {
  const { own, foreign } = dashboard;
  const { webhook: { id } } = await create();
  const { body } = await own.editor.post(`/api/webhooks/${id}/test`);
  assert.equal(body.status, 204);
  const question = { v: 2, accountId: own.accountId, webhookId: id };
  assert.deepEqual(asked, [["webhook.requested", question, { timeoutMs: 25_000 }]]);
  assert.equal((await foreign.editor.post(`/api/webhooks/${id}/test`)).status, 404);
});

test("GET /api/webhooks/:id/deliveries lists deliveries with bodies, which can be repeated", async () => {
  const { own, foreign, store } = dashboard;
  const { accountId } = own;
  const { webhook: { id } } = await create();
  const path = `/api/webhooks/${id}`;
  const at = new Date();
  const data = { integrationId: 1, reason: "x" };
  await store.events.record([{ _id: "evt_1", accountId, at, type: "integration.paused", data }]);
  await store.webhooks.saveDeliveries(Array.from({ length: 51 }, (_, index) => ({
    ...{ _id: `${id}/evt_${index}`, accountId, webhookId: id, eventId: `evt_${index}` },
    ...{ type: "integration.paused", state: "failed", tries: 10, nextAt: null, at },
    ...{ attempts: [{ at, status: 500, durationMs: 3, error: "x" }], expiresAt: at },
  })));
  const first = (await own.viewer.get(`${path}/deliveries?state=failed`)).body;
  const second = (await own.viewer.get(`${path}/deliveries?before=${first.next}`)).body;
  assert.deepEqual([first.rows.length, second.rows.length, second.next], [50, 1, null]);
  assert.deepEqual((await own.viewer.get(`${path}/deliveries?state=delivered`)).body.rows, []);
  const one = (await own.viewer.get(`${path}/deliveries/evt_1`)).body;
  assert.deepEqual(JSON.parse(one.body), {
    ...{ id: "evt_1", type: "integration.paused", timestamp: at.toISOString(), sequence: 3, data },
  });
  assert.equal((await foreign.owner.get(`${path}/deliveries/evt_1`)).status, 404);
  assert.equal((await own.viewer.post(`${path}/deliveries/evt_1/replay`)).status, 403);
  assert.deepEqual((await own.editor.post(`${path}/deliveries/evt_1/replay`)).body, { queued: 1 });
  assert.equal((await store.webhooks.findDelivery(accountId, id, "evt_1"))?.state, "retrying");
  const hour = 3_600_000;
  const range = {
    from: new Date(at.getTime() - hour).toISOString(),
    until: new Date(at.getTime() + hour).toISOString(),
  };
  assert.deepEqual((await own.editor.post(`${path}/replay`, range)).body, {
    queued: 50,
    next: null,
  });
  assert.equal((await own.editor.post(`${path}/deliveries/evt_x/replay`)).status, 404);
});

test("a token repeats no delivery from before the URL got another host; a person does", async () => {
  const { own, own: { accountId }, store, program } = dashboard;
  const { token } = await store.tokens.create({
    ...{ accountId, name: "CI", scopes: ["manage:webhooks"] },
    limits: {},
  });
  const thief = program(token);
  const { webhook: { id } } = await create();
  const deliver = (eventId: string, at: Date) =>
    store.webhooks.saveDeliveries([{
      ...{ _id: `${id}/${eventId}`, accountId, webhookId: id, eventId, type: "message.sent" },
      ...{ state: "delivered", tries: 0, nextAt: null, at, attempts: [] },
      expiresAt: new Date(Date.now() + 3_600_000),
    }]);
  const hour = 3_600_000;
  await deliver("evt_early", new Date(Date.now() - hour));
  const rangeFrom = (from: Date) => ({
    ...{ from: from.toISOString(), until: new Date(Date.now() + hour).toISOString() },
    states: ["delivered"],
  });
  const all = rangeFrom(new Date(Date.now() - 2 * hour));
  const path = `webhooks/${id}`;
  const one = await thief.post(`/manage/v1/${path}/deliveries/evt_early/replay`);
  assert.deepEqual(one.body, { queued: 1 });
  await deliver("evt_early", new Date(Date.now() - hour));
  const sameHost = await thief.patch(`/manage/v1/${path}`, { url: `${NEW.url}/other-path` });
  assert.equal(sameHost.status, 200);
  const repeated = await thief.post(`/manage/v1/${path}/replay`, all);
  assert.deepEqual(repeated.body, { queued: 1, next: null });
  await deliver("evt_early", new Date(Date.now() - hour));
  const moved = { url: "https://thief.example/", withAddress: true };
  assert.equal((await thief.patch(`/manage/v1/${path}`, moved)).status, 200);
  for (
    const [route, body] of [["deliveries/evt_early/replay", undefined], ["replay", all]] as const
  ) {
    const answer = await thief.post(`/manage/v1/${path}/${route}`, body);
    assert.deepEqual([answer.status, answer.body.code], [403, "people_only"], route);
  }
  assert.equal((await store.webhooks.findDelivery(accountId, id, "evt_early"))?.state, "delivered");
  const since = new Date();
  await deliver("evt_late", since);
  const late = await thief.post(`/manage/v1/${path}/replay`, rangeFrom(since));
  assert.deepEqual(late.body, { queued: 1, next: null });
  const person = await own.editor.post(`/api/${path}/replay`, all);
  assert.deepEqual(person.body, { queued: 1, next: null });
});

test("POST /api/webhooks/:id/replay goes on by its `next` among events of one millisecond", async () => {
  const { own, own: { accountId }, store } = dashboard;
  const { webhook: { id } } = await create();
  const path = `/api/webhooks/${id}/replay`;
  const at = new Date("2026-03-01T00:00:00.000Z");
  await store.webhooks.saveDeliveries(Array.from({ length: MAX_REPLAY + 1 }, (_, index) => ({
    ...{ _id: `${id}/evt_${index}`, accountId, webhookId: id, eventId: `evt_${index}` },
    ...{ type: "integration.paused", state: "delivered", tries: 1, nextAt: null, at },
    ...{ attempts: [], expiresAt: new Date(Date.now() + 3_600_000) },
  })));
  const states = ["delivered", "retrying"];
  const range = { from: at.toISOString(), until: "2026-03-02T00:00:00+01:00", states };
  const first = (await own.editor.post(path, range)).body;
  assert.deepEqual([first.queued, typeof first.next], [MAX_REPLAY, "string"]);
  const second = (await own.editor.post(path, { ...range, from: first.next })).body;
  assert.deepEqual(second, { queued: 1, next: null });
  for (const from of ["x", "~", `${"9".repeat(15)}~${"a".repeat(200)}`, "1~$"]) {
    assert.equal((await own.editor.post(path, { ...range, from })).status, 400, from);
  }
  const far = await own.editor.post(path, { ...range, from: `${"9".repeat(15)}~a` });
  assert.deepEqual(far.body, { queued: 0, next: null });
});

test("POST /api/webhooks refuses bad URLs, unknown types, one URL twice and too many", async () => {
  const { own } = dashboard;
  const wrong = [
    ...["ftp://x.example", "https://user:pw@x.example", "https://x.example/#a", "x"]
      .map((url) => ({ url })),
    ...[{ types: ["message.bounced"] }, { maxPerSecond: 0 }, { extra: 1 }],
  ];
  for (const change of wrong) {
    const { status } = await own.editor.post("/api/webhooks", { ...NEW, ...change });
    assert.equal(status, 400, JSON.stringify(change));
  }
  const { webhook: { url } } = await create();
  const { body } = await own.editor.post("/api/webhooks", { ...NEW, url });
  assert.equal(body.code, "name_taken");
  const { body: { length } } = await own.viewer.get("/api/webhooks");
  for (let count = length; count < 20; count++) await create();
  const full = await own.editor.post("/api/webhooks", NEW);
  assert.match(full.body.error, /20 endpoints at most/);
});
