import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { EventData, Integration } from "@posthaste/contracts";
import { integrationSchema } from "@posthaste/contracts";
import { bindPassword, INTEGRATION_DKIM_KEY, openSecret, readMasterKeys } from "@posthaste/storage";
import { testCertificate } from "@posthaste/kit";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import type { IntegrationInput } from "./interface/integrations.ts";
import { openProbeLimit } from "./probe_limit.ts";
import { PROVIDER_PRESETS } from "./provider_presets.ts";

const KEYS = readMasterKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);
const NEW: IntegrationInput = {
  ...{ name: "Main", host: "smtp.example.com", port: 587, tls: "starttls" },
  ...{ ca: null, allowInvalidCertificate: false, user: "shop", password: "canary-password" },
  ...{ authMethod: null, senders: ["shop@example.com"], maxConnections: 5, maxPerMinute: null },
  ...{ retryForMs: 172_800_000, whenUnknown: "retry" },
  fallbacks: [],
};
const { password: _, ...KEPT } = { ...NEW, oauth: null };
const PATH = "/api/integrations";

let asked: EventData<"probe.requested">[];
let answer: unknown;
let dashboard: TestDashboard;
beforeEach(async () => {
  asked = [];
  answer = { ok: true, steps: [] };
  dashboard = await openTestDashboard({
    bus: {
      ask: ((_type: string, data: EventData<"probe.requested">) => {
        asked.push(data);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      }) as never,
    },
  });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

async function create(changes: Partial<IntegrationInput> = {}) {
  const { status, body, text } = await dashboard.own.editor.post(PATH, { ...NEW, ...changes });
  assert.equal(status, 200, text);
  return body;
}

async function stored(id: number): Promise<Integration> {
  const found = await dashboard.store.integrations.find(dashboard.own.accountId, id);
  assert.ok(found);
  return found;
}

function passwordOf(
  { _id: recordId, auth, ...rest }: Pick<
    Integration,
    "accountId" | "_id" | "auth" | "host" | "port"
  >,
) {
  assert.ok(auth?.kind === "password");
  const binding = bindPassword({ recordId, ...rest });
  return openSecret(auth.password, { ...binding, keys: KEYS });
}

test("POST /api/integrations creates one whose password is sealed and never returned", async () => {
  const view = await create();
  assert.equal(passwordOf(await stored(1)), "canary-password");
  assert.deepEqual([view.id, view.hasPassword, view.state, view.settings.user], [
    ...[1, true, "ready", "shop"],
  ]);
  assert.deepEqual(view.settings, KEPT);
  const { own, store } = dashboard;
  const seen = [await own.viewer.get(PATH), await own.viewer.get(`${PATH}/1`)];
  const lines = await store.audit.list(own.accountId, { limit: 9 });
  const { auth } = await stored(1);
  assert.ok(auth?.kind === "password");
  for (const text of [...seen.map(({ text }) => text), JSON.stringify([view, lines])]) {
    assert.ok(!text.includes("canary") && !text.includes(auth.password.ciphertext), text);
  }
  assert.deepEqual(lines.map(({ action }) => action), ["integration.created"]);
});

test("POST /api/integrations names the field of each fault, and a name that is taken", async () => {
  const cases: [Partial<IntegrationInput>, string][] = [
    [{ host: "not a host" }, "host"],
    [{ port: 0 }, "port"],
    [{ senders: [] }, "senders"],
    [{ senders: ["a@example.com", "nobody"] }, "senders.1"],
    [{ senders: ["a@example.com", "a@EXAMPLE.com"] }, "senders"],
    [{ retryForMs: 1000 }, "retryForMs"],
    [{ maxConnections: 101 }, "maxConnections"],
    [{ ca: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" }, "ca"],
    [{ password: undefined }, "password"],
    [{ user: "" }, "user"],
    [{ user: "shop\x01auth=Bearer other" }, "user"],
  ];
  for (const [change, path] of cases) {
    const { status, body } = await dashboard.own.editor.post(PATH, { ...NEW, ...change });
    assert.deepEqual([status, body.issues?.[0].path], [400, path], JSON.stringify(body));
  }
  await create({ ca: testCertificate.cert });
  const { status, body } = await dashboard.own.editor.post(PATH, NEW);
  assert.deepEqual([status, body.code, body.issues[0].path], [409, "name_taken", "name"]);
});

test("the routes of integrations allow viewers to read, editors to change and owners to remove", async () => {
  await create();
  const { own, foreign } = dashboard;
  const changes: ["post" | "put" | "delete", string, unknown, "editor" | "owner"][] = [
    ["post", PATH, NEW, "editor"],
    ["put", `${PATH}/1`, { ...KEPT, revision: 1 }, "editor"],
    ["post", `${PATH}/1/pause`, {}, "editor"],
    ["post", `${PATH}/1/resume`, {}, "editor"],
    ["post", `${PATH}/probe`, { settings: NEW }, "editor"],
    ["post", `${PATH}/1/dkim`, { domain: "example.com", selector: "ph" }, "editor"],
    ["put", `${PATH}/1/dkim`, { enabled: true }, "editor"],
    ["post", `${PATH}/1/dkim/check`, {}, "editor"],
    ["delete", `${PATH}/1/dkim`, undefined, "editor"],
    ["delete", `${PATH}/1`, undefined, "owner"],
  ];
  for (const [verb, path, body, role] of changes) {
    assert.equal((await own.viewer[verb](path, body)).status, 403, `${verb} ${path}`);
    if (role === "owner") assert.equal((await own.editor[verb](path, body)).status, 403);
    if (!path.includes("/1")) continue;
    assert.equal((await foreign.owner[verb](path, body)).status, 404, `${verb} ${path}`);
  }
  assert.equal((await own.viewer.get(`${PATH}/1`)).status, 200);
  assert.equal((await foreign.owner.get(`${PATH}/1`)).status, 404);
  assert.deepEqual((await foreign.owner.get(PATH)).body, []);
  const probe = { id: 1, settings: KEPT };
  assert.equal((await foreign.owner.post(`${PATH}/probe`, probe)).status, 404);
  assert.deepEqual((await stored(1)).revision, 1);
  assert.deepEqual(asked, []);
});

test("PUT /api/integrations/:id refuses a change of an older revision", async () => {
  await create();
  const { editor } = dashboard.own;
  const first = await editor.put(`${PATH}/1`, { ...KEPT, name: "One", revision: 1 });
  assert.deepEqual([first.status, first.body.revision], [200, 2]);
  const second = await editor.put(`${PATH}/1`, { ...KEPT, name: "Two", revision: 1 });
  assert.deepEqual([second.status, second.body.code], [409, "conflict"]);
  assert.equal((await stored(1)).name, "One");
  assert.equal(passwordOf(await stored(1)), "canary-password", "it stays");
});

test("PUT and probe use a stored password with no other server, user or weaker protection", async () => {
  await create({ tls: "starttls" });
  const { editor } = dashboard.own;
  const moves: Partial<IntegrationInput>[] = [
    ...[{ host: "evil.example" }, { port: 2525 }, { tls: "none" as const }, { user: "other" }],
    ...[{ allowInvalidCertificate: true }, { ca: testCertificate.cert }],
  ];
  for (const move of moves) {
    for (
      const { status, body } of [
        await editor.put(`${PATH}/1`, { ...KEPT, ...move, revision: 1 }),
        await editor.post(`${PATH}/probe`, { id: 1, settings: { ...KEPT, ...move } }),
      ]
    ) {
      assert.deepEqual([status, body.issues?.[0].path], [400, "password"], JSON.stringify(move));
    }
  }
  assert.deepEqual(asked, []);
  const moved = await dashboard.own.owner.put(`${PATH}/1`, {
    ...{ ...KEPT, ...moves[0], password: "new one", revision: 1 },
  });
  assert.equal(moved.status, 200);
  assert.equal(passwordOf(await stored(1)), "new one");
});

test("PUT /api/integrations/:id requires the owner role for another server, even with a new password", async () => {
  await create({ tls: "starttls" });
  const { editor, owner } = dashboard.own;
  const moves: Partial<IntegrationInput>[] = [
    ...[{ host: "evil.example" }, { port: 2525 }, { tls: "none" as const }],
    ...[{ allowInvalidCertificate: true }, { ca: testCertificate.cert }],
    ...[{ user: "other" }, { user: null, password: undefined, host: "evil.example" }],
  ];
  for (const move of moves) {
    const input = { ...KEPT, password: "the attacker's", ...move, revision: 1 };
    const { status, body } = await editor.put(`${PATH}/1`, input);
    assert.deepEqual([status, body.code], [403, "not_allowed"], JSON.stringify(move));
  }
  assert.equal((await stored(1)).host, KEPT.host);
  const moved = { ...KEPT, host: "mx.example", password: "anew", revision: 1 };
  assert.equal((await owner.put(`${PATH}/1`, moved)).status, 200);
  const [line] = (await owner.get("/api/audit")).body.lines;
  assert.deepEqual([line.action, line.details.from, line.details.to], [
    ...["integration.repointed", `${KEPT.host}:${KEPT.port}`, `mx.example:${KEPT.port}`],
  ]);
});

test("POST /api/integrations/probe asks the mailer, with the stored password or one for this test only", async () => {
  await create();
  const { editor, accountId } = dashboard.own;
  const { id: _id, settings } = { id: 1, settings: KEPT };
  await editor.post(`${PATH}/probe`, { id: 1, settings, sender: "shop@example.com" });
  await editor.post(`${PATH}/probe`, { settings: { ...NEW, password: "unsaved" } });
  const [saved, unsaved] = asked.map(({ settings }) => settings);
  assert.equal(saved?.recordId, `${accountId}/1`);
  assert.equal(saved?.sender, "shop@example.com");
  assert.match(unsaved?.recordId ?? "", new RegExp(`^${accountId}/probe-[0-9a-f]{24}$`));
  for (const [found, password] of [[saved, "canary-password"], [unsaved, "unsaved"]] as const) {
    assert.ok(found?.auth);
    assert.equal(passwordOf({ ...found, accountId, _id: found.recordId }), password);
  }
  const none = await editor.post(`${PATH}/probe`, { settings: KEPT });
  assert.deepEqual([none.status, none.body.issues[0].path], [400, "password"]);
});

test("POST /api/integrations/probe reports a missing answer, and the limit of tests", async () => {
  const { editor } = dashboard.own;
  const settings = { ...NEW, user: null };
  answer = undefined;
  assert.equal((await editor.post(`${PATH}/probe`, { settings })).status, 504);
  answer = new Error("no broker");
  assert.equal((await editor.post(`${PATH}/probe`, { settings })).status, 503);
  answer = { ok: true, steps: [] };
  for (let n = 3; n <= 15; n++) {
    assert.equal((await editor.post(`${PATH}/probe`, { settings })).status, 200, `${n}`);
  }
  const { status, headers } = await editor.post(`${PATH}/probe`, { settings });
  assert.equal(status, 429);
  const waitS = Number(headers["retry-after"]);
  assert.ok(waitS > 0 && waitS <= 20, `${waitS} s`);
  assert.equal(asked.length, 15);
  const other = await dashboard.foreign.editor.post(`${PATH}/probe`, { settings });
  assert.equal(other.status, 200);
});

test("openProbeLimit() allows fifteen together, and fifteen more in five minutes", () => {
  let at = 0;
  const limit = openProbeLimit({ clock: { now: () => at } });
  for (let n = 0; n < 15; n++) limit.count("acc_1");
  assert.throws(() => limit.count("acc_1"), /Retry in 20 s/);
  at = 20_000;
  limit.count("acc_1");
  assert.throws(() => limit.count("acc_1"), /Retry in 20 s/);
  at = 320_000;
  for (let n = 0; n < 15; n++) limit.count("acc_1");
  assert.throws(() => limit.count("acc_1"));
});

test("pause and resume stop and start an integration, and record the person and the history", async () => {
  await create();
  const { own, store } = dashboard;
  const paused = await own.editor.post(`${PATH}/1/pause`, { reason: "moving house" });
  assert.deepEqual([paused.body.state, paused.body.reason], [
    "paused",
    "Paused by Own editor: moving house",
  ]);
  assert.equal((await own.viewer.get(PATH)).body[0].state, "paused");
  const again = await own.editor.put(`${PATH}/1`, { ...KEPT, maxConnections: 9, revision: 1 });
  assert.deepEqual([again.status, again.body.state], [200, "paused"]);
  const resumed = await own.editor.post(`${PATH}/1/resume`);
  assert.deepEqual([resumed.body.state, resumed.body.reason], ["ready", null]);
  assert.deepEqual(resumed.body.history.map(({ type }: { type: string }) => type), [
    ...["resumed", "paused"],
  ]);
  const now = new Date();
  const { _id } = await stored(1);
  await store.circuits.countFailure({ id: _id, reason: "no answer", now, pauseMs: () => 60_000 });
  const away = (await own.viewer.get(`${PATH}/1`)).body;
  assert.deepEqual([away.state, away.reason], ["unreachable", "no answer"]);
  assert.equal(away.openUntil, new Date(now.getTime() + 60_000).toISOString());
  assert.equal((await own.editor.post(`${PATH}/1/resume`)).body.state, "ready");
  assert.deepEqual(await store.circuits.list(), []);
});

test("DELETE /api/integrations/:id hides it, and mail on its way still finds it", async () => {
  await create();
  const { own } = dashboard;
  assert.equal((await own.owner.delete(`${PATH}/1`)).status, 200);
  assert.deepEqual((await own.owner.get(PATH)).body, []);
  assert.equal((await own.owner.get(`${PATH}/1`)).status, 404);
  assert.equal((await own.owner.post(`${PATH}/1/resume`)).status, 404);
  assert.ok((await stored(1)).archivedAt);
  assert.equal((await create()).id, 2);
});

test("a DKIM key is created, shown without its private half, switched and removed", async () => {
  await create();
  const { own } = dashboard;
  const wrong = await own.editor.post(`${PATH}/1/dkim`, { domain: "example", selector: "a b" });
  assert.deepEqual(wrong.body.issues.map(({ path }: { path: string }) => path), [
    ...["domain", "selector"],
  ]);
  const made = await own.editor.post(`${PATH}/1/dkim`, { domain: "Example.com", selector: "ph" });
  const { dkim } = made.body;
  assert.deepEqual([dkim.enabled, dkim.record.name], [false, "ph._domainkey.example.com"]);
  const found = await stored(1);
  assert.ok(found.dkim);
  const binding = { accountId: own.accountId, recordId: found._id, field: INTEGRATION_DKIM_KEY };
  const pem = openSecret(found.dkim.privateKey, { ...binding, keys: KEYS });
  const derived = createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" });
  assert.equal(dkim.record.value, `v=DKIM1; k=rsa; p=${derived.toString("base64")}`);
  assert.equal(dkim.record.quoted.replace(/^"|"$|" "/g, ""), dkim.record.value);
  assert.ok(dkim.record.quoted.split('" "').every((part: string) => part.length <= 256));
  assert.ok(!made.text.includes(found.dkim.privateKey.ciphertext));
  const on = await own.editor.put(`${PATH}/1/dkim`, { enabled: true });
  assert.deepEqual([on.body.dkim.enabled, on.body.revision], [true, 3]);
  assert.equal((await own.viewer.get(PATH)).body[0].signsFor, "example.com");
  const gone = await own.editor.delete(`${PATH}/1/dkim`);
  assert.equal(gone.body.dkim, null);
  for (const path of ["/dkim/check"]) {
    assert.equal((await own.editor.post(`${PATH}/1${path}`)).status, 404);
  }
  assert.equal((await own.editor.put(`${PATH}/1/dkim`, { enabled: true })).status, 404);
});

test("an account makes few DKIM keys in a row: others need the processor, too", async () => {
  await create();
  const { own } = dashboard;
  const wish = { domain: "example.com", selector: "ph" };
  const make = () => own.editor.post(`${PATH}/1/dkim`, wish);
  const statuses: number[] = [];
  for (let made = 0; made < 16; made++) statuses.push((await make()).status);
  assert.deepEqual(statuses, [...Array(15).fill(200), 429]);
  assert.match((await make()).body.error, /Too many new keys/);
});

test("an integration shows its last success, its last failure and its success rate", async () => {
  await create();
  const { own, store } = dashboard;
  const { accountId } = own;
  const never = (await own.viewer.get(PATH)).body[0];
  assert.deepEqual([never.state, never.lastSent, never.lastFailed, never.attempts], [
    ...["ready", null, null, 0],
  ]);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const lastSent = { at: ago(30), messageId: "msg_1" };
  // Later than its creation: its settings may have been wrong before.
  const lastFailed = { at: ago(-1), messageId: "msg_2", reason: "not now (451)" };
  await store.integrations.noteResults([{
    accountId,
    id: 1,
    lastSent,
    lastFailed,
    failedFrom: ago(17),
  }]);
  const integrations = { 1: { sent: 3, deferred: 1 } };
  await store.statistics.note([{ accountId, at: ago(30), integrations }]);
  const { body } = await own.viewer.get(`${PATH}/1`);
  assert.deepEqual([body.state, body.reason], ["failing", "not now (451)"]);
  assert.ok(Date.parse(body.since) < Date.now() - 16 * 60_000);
  assert.equal(body.lastSent.messageId, "msg_1");
  assert.deepEqual([body.lastFailed.reason, body.sent, body.attempts], ["not now (451)", 3, 4]);
});

test("every preset is a valid setting of an integration", () => {
  for (const { id, servers, port, tls, documentation } of PROVIDER_PRESETS) {
    for (const { host } of servers) {
      if (host !== "") assert.ok(integrationSchema.shape.host.safeParse(host).success, host);
    }
    assert.ok([465, 587].includes(port) && (port === 465) === (tls === "implicit"), id);
    assert.match(documentation, /^https:\/\//);
  }
  assert.equal(new Set(PROVIDER_PRESETS.map(({ id }) => id)).size, PROVIDER_PRESETS.length);
});

test("PUT /api/integrations/:id sets fallbacks: at most three, others of the account, in their order", async () => {
  const { own, foreign } = dashboard;
  const names = ["Main", "Second", "Third", "Fourth", "Fifth"];
  for (const name of names) await create({ name });
  const put = async (fallbacks: number[] | undefined, who = own.owner) => {
    const { fallbacks: _, ...kept } = KEPT;
    const { revision } = await stored(1);
    const settings = { ...kept, revision, ...(fallbacks ? { fallbacks } : {}) };
    return await who.put(`${PATH}/1`, settings);
  };
  // Its server could get all mail.
  const refused = await put([3, 2], own.editor);
  assert.deepEqual([refused.status, refused.body.code], [403, "not_allowed"]);
  assert.deepEqual(refused.body.issues.map(({ path }: { path: string }) => path), ["fallbacks"]);
  const { body } = await put([3, 2]);
  const [line] = (await own.owner.get("/api/audit")).body.lines;
  const { host, port } = KEPT;
  assert.equal(line.action, "integration.repointed");
  assert.equal(line.details.to, Array(3).fill(`${host}:${port}`).join(", or "));
  // Their order, and fewer of them, are no new servers.
  assert.equal((await put([2, 3], own.editor)).status, 200);
  assert.equal((await put([2], own.editor)).status, 200);
  await put([3, 2]);
  assert.deepEqual(body.settings.fallbacks, [3, 2]);
  // A caller that does not know them changes nothing.
  assert.deepEqual((await put(undefined)).body.settings.fallbacks, [3, 2]);
  const created = await foreign.editor.post(PATH, NEW);
  assert.equal(created.status, 200);
  assert.equal((await own.owner.delete(`${PATH}/5`)).status, 200);
  for (const wrong of [[1], [2, 2], [2, 3, 4, 5], [99], [5], [-1]]) {
    const { status, body } = await put(wrong);
    assert.deepEqual([status, body.code], [400, "invalid_request"], `${wrong}`);
  }
  // One that is removed later may stay.
  await own.owner.delete(`${PATH}/3`);
  assert.deepEqual((await put([3, 2, 4])).body.settings.fallbacks, [3, 2, 4]);
  assert.deepEqual((await put([])).body.settings.fallbacks, []);
});
