import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { byDay, oneByDay } from "@posthaste/kit";
import { TOKEN_SCOPES, type TokenLimits, type TokenScope } from "@posthaste/contracts";
import { assertNothing, furnish, isChange, namings, pathOf, stateOf } from "./_test_belongings.ts";
import type { Actor } from "./actor.ts";
import type { HttpError } from "./http_error.ts";
import { fastify } from "fastify";
import { type Browser, LIMITS, openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { MANAGE_ENDPOINTS } from "./manage/manage_document.ts";
import { limitTokens } from "./token_guard.ts";

/**
 * Tries every route below `/manage/v1` with every kind of token; a new route is tried
 * automatically. By day, each is tried with one refused token, in turn.
 */

let dashboard: TestDashboard;
let foreignIds: Record<string, string[]>;
/** Has all rights of a token. */
let whole: Browser;
before(async () => {
  const limits = { rateLimit: 0, rateWindowMs: 1000 };
  dashboard = await openTestDashboard({ options: { limits: { ...LIMITS, ...limits } } });
  await furnish(dashboard.store, dashboard.own, 1);
  foreignIds = await furnish(dashboard.store, dashboard.foreign, byDay(2, 4));
  whole = await programOf([...TOKEN_SCOPES]);
});
after(() => dashboard?.[Symbol.asyncDispose]());

interface TokenOptions {
  accountId?: string;
  expiresAt?: Date | null;
  limits?: Partial<TokenLimits>;
}

async function tokenOf(scopes: TokenScope[], options: TokenOptions = {}): Promise<string> {
  const { own, store } = dashboard;
  const base = { accountId: own.accountId, name: "CI", scopes };
  return (await store.tokens.create({ ...base, ...options })).token;
}

async function programOf(scopes: TokenScope[], options?: TokenOptions): Promise<Browser> {
  return dashboard.program(await tokenOf(scopes, options));
}

const ask = (browser: Browser, { method, url }: { method: string; url: string }, headers = {}) =>
  browser.ask(method, pathOf(url), { headers });

test("guardTokens() guards the routes that name scopes, and no route for people is mounted", async () => {
  const { manageRoutes, routes } = dashboard;
  const found = manageRoutes.map(({ method, url }) => `${method} ${url}`);
  for (const route of ["POST /templates/email", "PUT /integrations/:id", "POST /tokens"]) {
    assert.ok(found.includes(route.replace(" ", " /manage/v1")), found.join("\n"));
  }
  const open = manageRoutes.filter(({ scopes }) =>
    !scopes.some((scope) => scope.startsWith("manage:"))
  );
  assert.deepEqual(open.map(({ url }) => url), ["/manage/v1/openapi.json"]);
  const theirs = /^\/api\/(members|invitations|session|sign-in|you|accounts|reset|proof|confirm)/;
  const people = routes.filter(({ url }) => theirs.test(url));
  assert.ok(people.length > 15, `${people.length} routes`);
  for (const { method, url } of people) {
    const path = pathOf(url.replace("/api", "/manage/v1"));
    const { status, body } = await whole.ask(method, path, isChange(method) ? { body: {} } : {});
    assert.deepEqual([status, body.code], [404, "not_found"], `${method} ${path}`);
  }
});

test("MANAGE_ENDPOINTS lists every route below /manage/v1 with its scopes, and no other", () => {
  const listed = MANAGE_ENDPOINTS.flatMap(({ method, path, scopes }) =>
    (path.includes("{kind}") ? ["email", "pdf"] : [""]).map((kind) =>
      `${method} ${path.replace("{kind}", kind)} ${scopes.join()}`
    )
  );
  const found = dashboard.manageRoutes.map(({ method, url, scopes }) =>
    `${method} ${url.replaceAll(/:(\w+)/g, "{$1}")} ${scopes.join()}`
  );
  assert.deepEqual(listed.sort(), found.sort());
});

test("requests below /manage/v1 that need no body may say that it is JSON", async () => {
  const headers = { "content-type": "application/json" };
  for (const { method, path, body, isBodyOptional } of MANAGE_ENDPOINTS) {
    if (method === "GET") continue;
    const url = path.replace("{kind}", "email").replaceAll(/\{\w+\}/g, "x");
    const { body: { error } } = await whole.ask(method, url, { headers });
    const isNeeded = body !== undefined && !isBodyOptional;
    const isRefused = String(error).includes("the body is empty");
    assert.equal(isRefused, isNeeded, `${method} ${path}: ${error}`);
  }
});

test("guardTokens() refuses a missing, unknown, expired or revoked token, and a cookie", async () => {
  const { own, store, manageRoutes, program, signedOut } = dashboard;
  const scopes = [...TOKEN_SCOPES];
  const expired = await tokenOf(scopes, { expiresAt: new Date(Date.now() - 1000) });
  const revoked = await store.tokens.create({ accountId: own.accountId, name: "CI", scopes });
  await store.tokens.revoke(own.accountId, revoked.record._id);
  const unknown = `${expired.slice(0, -1)}${expired.endsWith("a") ? "b" : "a"}`;
  const refused = [
    ...[program(""), program("x"), program(unknown), program(expired), program(revoked.token)],
    ...[signedOut, own.owner],
  ];
  const tried = [...manageRoutes, { method: "GET", url: "/manage/v1/none" }];
  for (const [index, route] of tried.entries()) {
    for (const browser of oneByDay(refused, index)) {
      const { status, text, headers } = await ask(browser, route);
      const asked = `${route.method} ${route.url}`;
      assert.deepEqual([status, text], [401, '{"error":"Unauthenticated"}'], asked);
      assert.equal(headers["www-authenticate"], "Bearer");
    }
  }
});

test("guardRoutes() accepts no token instead of a cookie", async () => {
  for (const route of dashboard.routes.filter(({ role }) => role !== "anyone")) {
    const { status, body } = await ask(whole, route, { origin: "http://localhost:8081" });
    assert.deepEqual([status, body.code], [401, "signed_out"], `${route.method} ${route.url}`);
  }
});

test("guardTokens() accepts a token although a cookie of another account comes with it", async () => {
  const cookie = `${SESSION_COOKIE}=${dashboard.foreign.owner.cookie}`;
  const { body } = await whole.get("/manage/v1/account", { cookie, "x-account": "acc_other" });
  assert.equal(body.id, dashboard.own.accountId);
});

test("guardTokens() refuses every scope on every route that needs another", async () => {
  let tries = 0;
  for (const scope of TOKEN_SCOPES) {
    const program = await programOf([scope]);
    const rest = await programOf(TOKEN_SCOPES.filter((other) => other !== scope));
    for (const route of dashboard.manageRoutes) {
      const lacking = [
        // With all others but this one a token has more rights, so it shows more.
        ...byDay(true, route.scopes.every((needed) => needed === scope)) ? [] : [program],
        ...route.scopes.includes(scope) ? [rest] : [],
      ];
      for (const browser of lacking) {
        const { status, body } = await ask(browser, route);
        const asked = `${route.method} ${route.url} with ${scope}`;
        assert.deepEqual([status, body.code], [403, "missing_scope"], asked);
        tries++;
      }
    }
  }
  assert.ok(tries > byDay(60, 300), `${tries} tries`);
});

test("no route below /manage/v1 reads or changes what another account has", async () => {
  const { manageRoutes, foreign, store } = dashboard;
  const state = await stateOf(store, foreign);
  let tries = 0;
  for (const { method, url } of manageRoutes) {
    for (const given of namings(url, foreignIds)) {
      const path = pathOf(url, given);
      const answer = await whole.ask(method, path, isChange(method) ? { body: {} } : {});
      assertNothing(answer, { label: `${method} ${path}`, given });
      tries++;
    }
    if (isChange(method) || url.includes(":")) continue;
    const answer = await whole.get(`${url}?account=${foreign.accountId}`);
    assert.doesNotMatch(answer.text, /canary|foreign/i, url);
  }
  assert.ok(tries > 20, `${tries} tries`);
  assert.deepEqual(await stateOf(store, foreign), state);
});

test("guardTokens() accepts a limited token only from its addresses", async () => {
  const scopes: TokenScope[] = ["manage:account"];
  const near = await programOf(scopes, { limits: { addresses: ["127.0.0.0/8"] } });
  const far = await programOf(scopes, { limits: { addresses: ["203.0.113.7"] } });
  assert.equal((await near.get("/manage/v1/account")).status, 200);
  const { status, body } = await far.get("/manage/v1/account");
  assert.deepEqual([status, body.code], [403, "missing_scope"]);
  assert.doesNotMatch(body.error, /127/);
});

test("a token limited to some templates and integrations sees and changes no others", async () => {
  const scopes: TokenScope[] = ["manage:templates", "manage:integrations"];
  const limited = await programOf(scopes, { limits: { templates: [9], integrations: [9] } });
  for (const list of ["templates/email", "templates/pdf", "integrations"]) {
    assert.deepEqual((await limited.get(`/manage/v1/${list}`)).body, [], list);
  }
  const refused: [string, string, object?][] = [
    ["GET", "templates/email/1"],
    ["GET", "templates/pdf/1"],
    ["POST", "templates/email", { name: "New" }],
    ["GET", "integrations/1"],
    ["POST", "integrations/1/pause", {}],
    ["DELETE", "integrations/1/dkim"],
  ];
  for (const [method, path, body] of refused) {
    const answer = await limited.ask(method, `/manage/v1/${path}`, { body });
    assert.deepEqual([answer.status, answer.body.code], [403, "missing_scope"], path);
  }
});

test("limitTokens() limits a token to its rate, and to a lower one for expensive requests", async () => {
  const clock = { at: 0, now: () => clock.at };
  const app = fastify();
  app.decorateRequest("actor", null as unknown as Actor);
  app.addHook("onRequest", async (request) => {
    request.actor = { id: String(request.headers["x-id"]) } as Actor;
  });
  limitTokens(app, { rateLimit: 8, rateWindowMs: 2000 }, clock);
  app.get("/", () => ({}));
  app.get("/heavy", { config: { isHeavy: true } }, () => ({}));
  app.setErrorHandler((error: HttpError, _request, reply) => reply.code(429).send(error.message));
  const ask = (id: string, url = "/") => app.inject({ url, headers: { "x-id": id } });
  const statusOf = async (id: string, url?: string) => (await ask(id, url)).statusCode;
  for (let count = 0; count < 8; count++) assert.equal(await statusOf("a"), 200);
  assert.equal(await statusOf("a"), 429);
  for (let count = 0; count < 5; count++) assert.equal(await statusOf("b", "/heavy"), 200);
  const { statusCode, headers, body } = await ask("b", "/heavy");
  assert.equal(statusCode, 429);
  assert.match(body, /^Too many expensive requests .*Retry in 1 s$/);
  assert.equal(headers["ratelimit-policy"], '"token";q=8;w=2, "heavy";q=5;w=1');
  assert.equal(headers["ratelimit"], '"token";r=2;t=2, "heavy";r=0;t=1');
  clock.at = 1000;
  assert.deepEqual([await statusOf("a"), await statusOf("b", "/heavy")], [429, 200]);
  clock.at = 2000;
  assert.equal(await statusOf("a"), 200);
});

test("guardTokens() answers 429 to a token that makes too many requests", async () => {
  const limits = { ...LIMITS, rateLimit: 1, rateWindowMs: 86_400_000 };
  await using limited = await openTestDashboard({ options: { limits } });
  const { accountId } = limited.own;
  const { token } = await limited.store.tokens.create({ accountId, name: "CI", scopes: ["read"] });
  const program = limited.program(token);
  assert.equal((await program.get("/manage/v1/account")).body.code, "missing_scope");
  const { status, body, headers } = await program.get("/manage/v1/account");
  assert.deepEqual([status, body.code], [429, "too_many_requests"]);
  assert.ok(Number(headers["retry-after"]) > 1000);
});

test("tokenRoutes() allows a token to create one with a part of its rights, and none with a manage scope", async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const scopes: TokenScope[] = ["manage:tokens", "send", "manage:messages"];
  const limits = { templates: [1] };
  const maker = await programOf(scopes, { expiresAt, limits });
  const wanted = { name: "Part", scopes: ["send"], expiresAt: expiresAt.toISOString() };
  const { status, body, text } = await maker.post("/manage/v1/tokens", wanted);
  assert.equal(status, 200, text);
  assert.deepEqual([body.curl, body.token.createdBy], [null, null]);
  const made = await dashboard.store.tokens.find(body.text);
  assert.deepEqual([made?.scopes, made?.templates, made?.expiresAt], [["send"], [1], expiresAt]);
  const refusals: [object, string][] = [
    [{ scopes: ["manage:messages"] }, "people_only"],
    [{ scopes: ["manage:tokens"] }, "people_only"],
    [{ scopes: ["render"] }, "missing_scope"],
    [{ expiresAt: null }, "missing_scope"],
    [{ expiresAt: new Date(expiresAt.getTime() + 1).toISOString() }, "missing_scope"],
    [{ limits: { templates: [1, 2] } }, "missing_scope"],
  ];
  for (const [change, code] of refusals) {
    const answer = await maker.post("/manage/v1/tokens", { ...wanted, ...change });
    assert.deepEqual([answer.status, answer.body.code], [403, code], JSON.stringify(change));
  }
  const strong = await dashboard.store.tokens.create({
    ...{ accountId: dashboard.own.accountId, name: "strong", scopes: ["manage:account"] },
  });
  const path = `/manage/v1/tokens/${strong.record._id}/roll`;
  const rolled = await maker.post(path, { overlapHours: 0 });
  assert.deepEqual([rolled.status, rolled.body.code], [403, "people_only"]);
  const revoke = `/api/tokens/${made?.madeBy}/revoke`;
  assert.equal((await dashboard.own.owner.post(revoke, {})).status, 200);
  assert.equal(await dashboard.store.tokens.find(body.text), null);
});

test("actions for people only are refused to tokens, and the audit log names the token", async () => {
  const { own, store } = dashboard;
  const keep = (contentDays: number) => whole.put("/manage/v1/account/retention", { contentDays });
  const { contentDays } = own.account.retention;
  const longer = await keep(contentDays + 1);
  assert.deepEqual([longer.status, longer.body.code], [403, "people_only"]);
  assert.equal((await keep(contentDays - 1)).status, 200);
  const [line] = await store.audit.list(own.accountId, { limit: 1 });
  assert.match(
    `${line?.action} ${line?.userEmail}`,
    /^retention\.changed token "CI" \(ph_\w{6}\)$/,
  );
  assert.equal(line?.userId, null);
  const { body: view } = await whole.get("/manage/v1/integrations/1");
  const settings = { ...view.settings, revision: view.revision, allowInvalidCertificate: true };
  const { revision: _, ...fresh } = settings;
  const tries: [string, string, object][] = [
    ["PUT", "integrations/1", settings],
    ["POST", "integrations", { ...fresh, name: "New" }],
    ["POST", "integrations/probe", { settings: fresh }],
  ];
  for (const [method, path, body] of tries) {
    const answer = await whole.ask(method, `/manage/v1/${path}`, { body });
    assert.deepEqual([answer.status, answer.body.code], [403, "people_only"], answer.text);
  }
  const stale = { ...settings, allowInvalidCertificate: false, revision: view.revision + 1 };
  const { status, body } = await whole.put("/manage/v1/integrations/1", stale);
  assert.deepEqual([status, body.code], [409, "conflict"]);
});

// This test is last: it removes what it can.
test("every route below /manage/v1 answers a token that has its scopes", async () => {
  for (const route of dashboard.manageRoutes) {
    const program = await programOf([...route.scopes]);
    const path = pathOf(route.url, { id: "1", version: "1", tokenId: "none" });
    const body = isChange(route.method) ? { body: {} } : {};
    const { status, text } = await program.ask(route.method, path, body);
    assert.ok(![401, 500].includes(status), `${route.method} ${path}: ${status} ${text}`);
    assert.doesNotMatch(text, /"code":"(?:missing_scope|people_only)"/, `${route.method} ${path}`);
  }
});

test("a token limited to some integrations adds no others as fallbacks", async () => {
  const { store, own: { accountId } } = dashboard;
  const [other, fallback] = await Promise.all(["Other", "Fallback"].map(async (name) => {
    const { id } = await store.integrations.create({
      ...{ accountId, name, host: "smtp.example.com", port: 587, tls: "starttls" },
      ...{ auth: null, senders: ["shop@example.com"] },
    });
    return id;
  })) as [number, number];
  const path = `/manage/v1/integrations/${other}`;
  const { body: { revision, settings } } = await whole.get(path);
  const change = { ...settings, revision, fallbacks: [fallback] };
  const limited = await programOf(["manage:integrations"], { limits: { integrations: [other] } });
  const { status, body } = await limited.put(path, change);
  assert.deepEqual([status, body.code], [400, "invalid_request"]);
  assert.equal((await whole.put(path, change)).status, 200);
});
