import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { byDay, oneByDay } from "@posthaste/kit";
import { includesRole, ROLES } from "@posthaste/contracts";
import { fastify } from "fastify";
import { assertNothing, furnish, isChange, namings, pathOf, stateOf } from "./_test_belongings.ts";
import { type Browser, openTestDashboard, ORIGIN, type TestDashboard } from "./_test_dashboard.ts";
import { guardRoutes, SESSION_COOKIE } from "./guard.ts";
import { newToken, type SessionDeps } from "./session.ts";

/**
 * Tries every route as every kind of caller. The routes are those that Fastify has: a new route is
 * tried automatically; if it has a parameter that is not in `furnish()`, add there the other
 * account's values for it. By day, each route is tried with one wrong session, origin and token, in turn.
 */

let dashboard: TestDashboard;
/** The other account's ids, by the name of the parameter. */
let foreignIds: Record<string, string[]>;
before(async () => {
  dashboard = await openTestDashboard({ options: { demoAccount: "Demo" } });
  await furnish(dashboard.store, dashboard.own, 1);
  foreignIds = await furnish(dashboard.store, dashboard.foreign, byDay(2, 4));
});
after(() => dashboard?.[Symbol.asyncDispose]());

/** The answer of this route does not end; `messages_test.ts` and `message_boards_test.ts` test it. */
const ENDLESS = "/api/messages/stream";

function ask(browser: Browser, route: { method: string; url: string }, headers = {}) {
  const { method, url } = route;
  return browser.ask(method, pathOf(url), { headers });
}

test("the dashboard has the routes that are tried here", () => {
  const found = dashboard.routes.map(({ method, url }) => `${method} ${url}`);
  for (const route of ["GET /api/session", "POST /api/tokens", "DELETE /api/members/:userId"]) {
    assert.ok(found.includes(route), `${route} is not among ${found.join(", ")}`);
  }
});

test("every route that is not open to anyone refuses callers without a session, or with another's cookie", async () => {
  const { browser, routes, own } = dashboard;
  const strangers = ["", "x", newToken(), own.owner.sessionId].map((cookie) =>
    browser(cookie, own.owner.csrfToken)
  );
  const closed = routes.filter(({ role }) => role !== "anyone");
  for (const [index, route] of closed.entries()) {
    for (const stranger of oneByDay(strangers, index)) {
      const { status, body } = await ask(stranger, route);
      assert.deepEqual([status, body.code], [401, "signed_out"], `${route.method} ${route.url}`);
    }
  }
});

test("every route refuses callers with a lower role", async () => {
  const { routes, own } = dashboard;
  let tries = 0;
  for (const route of routes) {
    if (route.role === "anyone") continue;
    for (const role of ROLES) {
      if (includesRole(role, route.role) || role === "texts" && route.isForTexts) continue;
      const { status, body } = await ask(own[role], route);
      const label = `${route.method} ${route.url} as ${role}`;
      assert.deepEqual([status, body.code], [403, "not_allowed"], label);
      tries++;
    }
  }
  assert.ok(tries > 10);
});

test("only owners change members, invitations, tokens and the account, and read the audit log", () => {
  const isTheirs = ({ method, url }: { method: string; url: string }) =>
    url === "/api/audit" ||
    isChange(method) && /^\/api\/(members|invitations|tokens|accounts?)\b/.test(url);
  const open = new Set(["POST /api/invitations/:token/accept"]);
  const theirs = dashboard.routes.filter(isTheirs);
  for (const { method, url, role } of theirs) {
    if (!open.has(`${method} ${url}`)) assert.equal(role, "owner", `${method} ${url}`);
  }
  assert.ok(theirs.length > 9, `${theirs.length} routes`);
});

test("every route that reads answers the roles that it allows", async () => {
  const { routes, own } = dashboard;
  for (const route of routes.filter(({ method }) => method === "GET")) {
    if (route.role === "anyone" || route.url === ENDLESS) continue;
    const { role: least } = route;
    await Promise.all(
      ROLES.filter((role) => includesRole(role, least)).map(async (role) => {
        const answer = await ask(own[role], route);
        const asked = `${route.method} ${route.url} as ${role}`;
        assert.ok(![401, 403].includes(answer.status), `${asked}: ${answer.text}`);
      }),
    );
  }
});

test("every change from a page of another origin, or of none, is refused", async () => {
  const { routes, own } = dashboard;
  const origins = [
    ...["", "null", "https://evil.example", "http://localhost:8082", "https://localhost:8081"],
    ...[`${ORIGIN}.evil.example`, `${ORIGIN}/`, ORIGIN.toUpperCase()],
  ];
  const changes = routes.filter(({ method }) => isChange(method));
  for (const [index, route] of changes.entries()) {
    for (const origin of oneByDay(origins, index)) {
      const { status, body } = await ask(own.owner, route, { origin });
      const label = `${route.method} ${route.url} from "${origin}"`;
      assert.deepEqual([status, body.code], [403, "wrong_origin"], label);
    }
  }
  assert.ok(changes.length > 10);
});

test("every change without the token of the caller's own session is refused", async () => {
  const { routes, own, foreign } = dashboard;
  const { csrfToken } = own.owner;
  const tokens = ["", "x", foreign.owner.csrfToken, own.editor.csrfToken, `${csrfToken}x`];
  // As many characters, and more bytes.
  tokens.push(`é${csrfToken.slice(1)}`);
  const changes = routes.filter(({ method, role }) => isChange(method) && role !== "anyone");
  for (const [index, route] of changes.entries()) {
    for (const token of oneByDay(tokens, index)) {
      const { status, body } = await ask(own.owner, route, { "x-csrf-token": token });
      const label = `${route.method} ${route.url} with "${token}"`;
      assert.deepEqual([status, body.code], [403, "wrong_origin"], label);
    }
  }
});

test("no route reads or changes what another account has, by any id", async () => {
  const { routes, own, foreign } = dashboard;
  const before = await stateOf(dashboard.store, foreign);
  let tries = 0;
  for (const { method, url, role } of routes) {
    if (role === "anyone") continue;
    for (const given of namings(url, foreignIds)) {
      const path = pathOf(url, given);
      const answer = await own.owner.ask(method, path, isChange(method) ? { body: {} } : {});
      assertNothing(answer, { label: `${method} ${path}`, given });
      tries++;
    }
  }
  assert.ok(tries > 20, `${tries} tries`);
  assert.deepEqual(await stateOf(dashboard.store, foreign), before);
});

test("no route that lists anything lists what another account has", async () => {
  const { routes, own, foreign } = dashboard;
  for (const { method, url, role } of routes) {
    if (method !== "GET" || url.includes(":") || role === "anyone" || url === ENDLESS) continue;
    const query = `accountId=${foreign.accountId}&account=${foreign.accountId}`;
    await Promise.all([url, `${url}?${query}`].map(async (path) => {
      assert.doesNotMatch((await own.owner.get(path)).text, /canary|foreign/i, path);
    }));
  }
});

test("guardRoutes() refuses a route that does not declare its callers, at the start", async () => {
  const app = fastify();
  guardRoutes(app, {} as SessionDeps, { publicUrl: ORIGIN });
  assert.throws(() => app.get("/api/open", () => ({})), /"GET \/api\/open".*who may call it/);
  await app.close();
});

test("the session's cookie is bound to this host and to TLS by its name", () => {
  assert.match(SESSION_COOKIE, /^__Host-/);
});
