import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";

let dashboard: TestDashboard;
beforeEach(async () => {
  dashboard = await openTestDashboard();
});
afterEach(() => dashboard[Symbol.asyncDispose]());

const NEW = { name: "Shop", scopes: ["send", "render"], expiresAt: null };

test("POST /api/tokens returns a token that works, and shows its text only once", async () => {
  const { own, store } = dashboard;
  const { status, body } = await own.owner.post("/api/tokens", NEW);
  assert.equal(status, 200);
  const found = await store.tokens.find(body.text);
  assert.deepEqual([found?.accountId, found?.scopes, found?.createdBy], [
    ...[own.accountId, ["render", "send"], own.owner.user._id],
  ]);
  const list = await own.viewer.get("/api/tokens");
  assert.deepEqual(list.body, [body.token]);
  assert.ok(!list.text.includes(body.text));
  const { createdBy, state, prefix } = body.token;
  assert.deepEqual([createdBy, state, prefix], ["Own owner", "active", body.text.slice(0, 9)]);
  const [line] = await store.audit.list(own.accountId, { limit: 1 });
  assert.ok(!JSON.stringify(line).includes(body.text));
  assert.equal(line?.action, "token.created");
});

test("POST /api/tokens refuses missing or unknown scopes, a missing name, and an end in the past", async () => {
  const { own, store } = dashboard;
  const wrong = [
    ...[{ scopes: [] }, { scopes: ["admin"] }, { name: " " }, { name: "x".repeat(201) }],
    ...[{ expiresAt: "2020-01-01T00:00:00Z" }, { expiresAt: "soon" }, { expiresAt: undefined }],
  ];
  for (const change of wrong) {
    const { status, body } = await own.owner.post("/api/tokens", { ...NEW, ...change });
    assert.deepEqual([status, body.code], [400, "invalid_request"], JSON.stringify(change));
  }
  assert.deepEqual(await store.tokens.list(own.accountId), []);
});

test("POST /api/tokens refuses a limit that is misspelt, instead of a token without it", async () => {
  const { owner } = dashboard.own;
  for (const wrong of [{ limit: { templates: [1] } }, { limits: { template: [1] } }]) {
    const { status, body } = await owner.post("/api/tokens", { ...NEW, ...wrong });
    assert.deepEqual([status, body.code], [400, "invalid_request"], JSON.stringify(wrong));
  }
});

test("POST /api/tokens/:tokenId/revoke ends a token, and no other account's", async () => {
  const { own, foreign, store } = dashboard;
  const { body } = await own.owner.post("/api/tokens", NEW);
  const path = `/api/tokens/${body.token.id}/revoke`;
  assert.equal((await foreign.owner.post(path)).status, 404);
  assert.notEqual(await store.tokens.find(body.text), null);
  assert.equal((await own.owner.post(path)).status, 200);
  assert.equal((await own.owner.post(path)).status, 200);
  assert.equal(await store.tokens.find(body.text), null);
  assert.equal((await own.owner.get("/api/tokens")).body[0].state, "revoked");
  const lines = await store.audit.list(own.accountId, { limit: 9 });
  assert.deepEqual(lines.map(({ action }) => action), ["token.revoked", "token.created"]);
});

test("GET /api/tokens lists expired ones, who created each, and those of the command line", async () => {
  const { own, store } = dashboard;
  const { accountId } = own;
  const base = { accountId, scopes: ["read" as const] };
  await store.tokens.create({ ...base, name: "cli" });
  const createdBy = own.editor.user._id;
  await store.tokens.create({
    ...base,
    name: "old",
    expiresAt: new Date(Date.now() - 1000),
    createdBy,
  });
  // A user who has left the account is still named.
  await store.people.removeMember(accountId, createdBy);
  const { body } = await own.viewer.get("/api/tokens");
  type Row = Record<"name" | "state" | "createdBy", string>;
  assert.deepEqual(body.map(({ name, state, createdBy }: Row) => [name, state, createdBy]), [
    ["old", "expired", "Own editor"],
    ["cli", "active", null],
  ]);
});

test("POST /api/tokens returns a sample request with the account's own template and integration", async () => {
  const { own, store } = dashboard;
  const { accountId } = own;
  assert.equal((await own.owner.post("/api/tokens", NEW)).body.curl, null);
  const parts = { subject: "Hi", html: "Hi", text: "Hi" };
  await store.templates.publish({
    ...{ accountId, kind: "email", name: "Welcome", alias: "welcome", sourceHash: "x" },
    ...{ variables: [{ name: "it's", required: true }, { name: "b", required: false }] },
    ...{ source: parts, parts },
  });
  const rendered = (await own.owner.post("/api/tokens", NEW)).body;
  assert.match(rendered.curl, /templates\/1\/render' /);
  await store.integrations.create({
    ...{ accountId, name: "main", host: "smtp.example", port: 25, tls: "none", auth: null },
    senders: ["shop@example.com"],
  });
  const { body } = await own.owner.post("/api/tokens", NEW);
  assert.equal(
    body.curl,
    [
      "curl 'http://localhost:8080/v1/templates/1/send/1' \\",
      `  -H 'Authorization: Bearer ${body.text}' \\`,
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"from":{"email":"shop@example.com"},"to":[{"email":"owner@own.example","variables":{"it'\\''s":"it'\\''s"}}]}'`,
    ].join("\n"),
  );
  const { draft } = (await own.editor.get("/api/templates/email/1")).body;
  const source = { ...draft, sample: { b: "from the sample" } };
  await own.editor.put("/api/templates/email/1/draft", { revision: 1, source });
  const main = await store.integrations.find(accountId, 1);
  assert.ok(main);
  await store.integrations.suspend(main, { at: new Date(), reason: "x" });
  await store.integrations.create({
    ...{ accountId, name: "other", host: "smtp.example", port: 25, tls: "none", auth: null },
    senders: ["other@example.com"],
  });
  const { curl } = (await own.owner.post("/api/tokens", NEW)).body;
  assert.match(curl, /send\/2'.*"other@example.com".*"b":"from the sample"/s);
  const reading = { ...NEW, scopes: ["read"] };
  assert.equal((await own.owner.post("/api/tokens", reading)).body.curl, null);
});

test("POST /api/tokens limits a token to addresses, templates and integrations, and refuses invalid addresses", async () => {
  const { own, store } = dashboard;
  const limits = {
    addresses: ["203.0.113.0/24", "2001:db8::1"],
    templates: [2],
    integrations: [1],
  };
  const { status, body } = await own.owner.post("/api/tokens", { ...NEW, limits });
  assert.equal(status, 200);
  assert.deepEqual(body.token.limits, limits);
  const { addresses, templates, integrations } = await store.tokens.find(body.text) ?? {};
  assert.deepEqual({ addresses, templates, integrations }, limits);
  for (const address of ["example.com", "203.0.113.0/33", "1.2.3", "10.0.0.0/8/8"]) {
    const refused = await own.owner.post("/api/tokens", {
      ...{ ...NEW, limits: { addresses: [address] } },
    });
    assert.deepEqual([refused.status, refused.body.issues[0].path], [400, "limits.addresses.0"]);
  }
});

test("POST /api/tokens/:tokenId/roll creates an equal token, and both work for the requested time", async () => {
  const { own, foreign, store } = dashboard;
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const limits = { addresses: ["203.0.113.7"], templates: [2], integrations: [] };
  const { body: old } = await own.owner.post("/api/tokens", { ...NEW, expiresAt, limits });
  const path = `/api/tokens/${old.token.id}/roll`;
  assert.equal((await foreign.owner.post(path, { overlapHours: 1 })).status, 404);
  assert.equal((await own.editor.post(path, { overlapHours: 1 })).status, 403);
  assert.equal((await own.owner.post(path, { overlapHours: 721 })).status, 400);
  const { status, body: made } = await own.owner.post(path, { overlapHours: 24 });
  assert.equal(status, 200);
  assert.notEqual(made.text, old.text);
  const { name, scopes } = made.token;
  assert.deepEqual({ name, scopes, limits: made.token.limits }, {
    ...{ name: NEW.name, scopes: ["render", "send"], limits },
  });
  assert.ok(Math.abs(Date.parse(made.token.expiresAt) - Date.parse(expiresAt)) < 60_000);
  assert.ok(await store.tokens.find(old.text) && await store.tokens.find(made.text));
  const [ending] = (await store.tokens.list(own.accountId)).filter(({ _id }) =>
    _id === old.token.id
  );
  const hours = ((ending?.expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, `${hours} hours`);
  const [line] = await store.audit.list(own.accountId, { limit: 1 });
  assert.deepEqual([line?.action, line?.details["overlap"]], ["token.rolled", "24 h"]);

  assert.equal((await own.owner.post(path, { overlapHours: 0 })).status, 200);
  assert.equal(await store.tokens.find(old.text), null);
  assert.equal((await own.owner.post(path, { overlapHours: 1 })).status, 404);
});

test("POST /api/tokens/:tokenId/roll extends no lifetime, and keeps an unlimited one", async () => {
  const { own, store } = dashboard;
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const { body: ending } = await own.owner.post("/api/tokens", { ...NEW, expiresAt: soon });
  await own.owner.post(`/api/tokens/${ending.token.id}/roll`, { overlapHours: 48 });
  const all = await store.tokens.list(own.accountId);
  assert.equal(all.find(({ _id }) => _id === ending.token.id)?.expiresAt?.toISOString(), soon);
  const { body: lasting } = await own.owner.post("/api/tokens", NEW);
  const { body } = await own.owner.post(`/api/tokens/${lasting.token.id}/roll`, {
    overlapHours: 1,
  });
  assert.equal(body.token.expiresAt, null);
});

test("POST /tokens refuses a program a name that a valid token has: a repetition makes no second one", async () => {
  const { own, store, program } = dashboard;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await store.tokens.create({
    ...{ accountId: own.accountId, name: "Maker", scopes: ["manage:tokens", "send"] },
  });
  const maker = program(made.token);
  const wanted = { name: "Job", scopes: ["send"], expiresAt };
  const create = () => maker.post("/manage/v1/tokens", wanted);
  const first = await create();
  assert.equal(first.status, 200, first.text);
  const again = await create();
  assert.deepEqual([again.status, again.body.code, again.body.issues], [409, "name_taken", [
    { path: "name", message: "is the name of a valid token" },
  ]]);
  assert.equal((await store.tokens.list(own.accountId)).length, 2);
  // Its text, which was lost with the answer, is had by a new one.
  const path = `/manage/v1/tokens/${first.body.token.id}`;
  const rolled = await maker.post(`${path}/roll`, { overlapHours: 0 });
  assert.equal(rolled.status, 200, rolled.text);
  assert.equal((await create()).status, 409);
  await maker.post(`/manage/v1/tokens/${rolled.body.token.id}/revoke`, {});
  assert.equal((await create()).status, 200);
  // A person sees the list.
  assert.equal((await own.owner.post("/api/tokens", { ...NEW, name: "Job" })).status, 200);
});
