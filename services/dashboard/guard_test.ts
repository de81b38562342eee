import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { includesRole, messageIdOf, pageOptionsSchema, ROLES } from "@posthaste/contracts";
import { newSendId, type Send } from "@posthaste/contracts";
import { fastify } from "fastify";
import {
  type Answer,
  type Browser,
  openTestDashboard,
  ORIGIN,
  type TestAccount,
  type TestDashboard,
} from "./_test_dashboard.ts";
import { guardRoutes, SESSION_COOKIE } from "./guard.ts";
import { hashToken, newToken, type SessionDeps } from "./session.ts";

/**
 * Every route is tried by everybody. The routes are those that Fastify has: one that is added is tried
 * by itself; if it names something by a parameter that is not in {@linkcode foreignIds}, say there what
 * another account has of it.
 */

let dashboard: TestDashboard;
/** What the other account has, by the name of the parameter that would name it. */
let foreignIds: Record<string, string[]>;
before(async () => {
  dashboard = await openTestDashboard({ options: { demoAccount: "Demo" } });
  await furnish(dashboard.own, 1);
  foreignIds = await furnish(dashboard.foreign, 4);
});
after(() => dashboard?.[Symbol.asyncDispose]());

/** The answer of this route does not end; its tests are in `messages_test.ts` and `message_boards_test.ts`. */
const ENDLESS = "/api/messages/stream";

/** Parameters that name nothing of an account; the values that are tried. */
const KINDS: Record<string, string[]> = { kind: ["email", "pdf"] };

/** Returns an account so many of everything, all with the word canary where there is a text. */
async function furnish(
  { accountId, owner, viewer, account }: TestAccount,
  count: number,
): Promise<Record<string, string[]>> {
  const { store } = dashboard;
  const word = account.name === "Foreign" ? "canary" : "own";
  const ids: Record<string, string[]> = {};
  const note = (name: string, id: string | number) => (ids[name] ??= []).push(String(id));
  const text = { subject: word, html: word, text: word };
  const base = { accountId, name: word, sourceHash: word, variables: [] };
  for (let i = 1; i <= count; i++) {
    const { template } = await store.templates.publish({
      ...{ ...base, kind: "email", alias: `${word}-${i}`, source: text, parts: text },
    });
    const { template: pdf } = await store.templates.publish({
      ...{ ...base, kind: "pdf", alias: `${word}-${i}`, source: { html: word } },
      ...{ parts: { html: word, filename: "a.pdf" }, page: pageOptionsSchema.parse({}) },
    });
    const integration = await store.integrations.create({
      ...{ accountId, name: `${word} ${i}`, host: `${word}.example`, port: 25, tls: "none" },
      ...{ auth: null, senders: [`${word}@example.com`] },
    });
    const send = sendOf(accountId, word);
    await store.sends.accept(send);
    const token = await store.tokens.create({ accountId, name: word, scopes: ["read"] });
    const link = newToken();
    await store.invitations.create({
      ...{ _id: hashToken(link), accountId, email: `${word}${i}@x.example`, role: "viewer" },
      ...{ invitedBy: owner.user._id, createdAt: new Date() },
      expiresAt: new Date(Date.now() + 3600_000),
    });
    // Numbers are counted per account: own has the first of each, so these are the other's alone.
    if (i > 1) { for (const id of [template.id, template.alias ?? ""]) note("templateId", id); }
    if (i > 1) note("pdfId", pdf.id);
    if (i > 1) note("integrationId", integration.id);
    note("sendId", send._id);
    note("messageId", messageIdOf(send._id, 0));
    note("tokenId", token.record._id);
    note("invitationId", hashToken(link));
    note("link", link);
  }
  for (const { user, sessionId } of [owner, viewer]) {
    note("userId", user._id);
    note("sessionId", sessionId);
  }
  const passkey = { id: word, publicKey: word, counter: 0, transports: [], name: word };
  await store.people.update(owner.user._id, {
    secondFactor: {
      ...{ totp: null, recoveryCodes: [] },
      passkeys: [{ ...passkey, createdAt: new Date() }],
    },
  });
  note("passkeyId", word);
  ids["id"] = Object.values(ids).flat();
  ids["token"] = [...ids["tokenId"] ?? [], ...ids["link"] ?? []];
  ids["version"] = ["1"];
  ids["n"] = ["0"];
  ids["key"] = ["0".repeat(64)];
  return ids;
}

function sendOf(accountId: string, word: string): Send {
  return {
    ...{ _id: newSendId(accountId), accountId, acceptedAt: new Date(), priority: "transactional" },
    ...{ template: { id: 1, version: 1 }, pdfVersions: {}, integrationId: 1, messageCount: 1 },
    request: { from: { email: `${word}@example.com` }, to: [{ email: `${word}@example.net` }] },
    ...{ settledAt: null, reconcileAt: new Date(Date.now() + 3600_000) },
  };
}

const isChange = (method: string) => method !== "GET";

/** The address of a route, its parameters filled by what is given, else by what nobody has. */
function pathOf(url: string, given: Record<string, string> = {}): string {
  return url.replaceAll(
    /:(\w+)/g,
    (_, name: string) => encodeURIComponent(given[name] ?? KINDS[name]?.[0] ?? "nothing"),
  );
}

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

test("every route that is not open to anyone refuses who is signed out, or has another's cookie", async () => {
  const { browser, routes, own } = dashboard;
  const strangers = ["", "x", newToken(), own.owner.sessionId].map((cookie) =>
    browser(cookie, own.owner.csrfToken)
  );
  for (const route of routes.filter(({ role }) => role !== "anyone")) {
    for (const stranger of strangers) {
      const { status, body } = await ask(stranger, route);
      assert.deepEqual([status, body.code], [401, "signed_out"], `${route.method} ${route.url}`);
    }
  }
});

test("every route refuses the roles that it is not for", async () => {
  const { routes, own } = dashboard;
  let tries = 0;
  for (const route of routes) {
    if (route.role === "anyone") continue;
    for (const role of ROLES) {
      if (includesRole(role, route.role)) continue;
      const { status, body } = await ask(own[role], route);
      const told = `${route.method} ${route.url} as ${role}`;
      assert.deepEqual([status, body.code], [403, "not_allowed"], told);
      tries++;
    }
  }
  assert.ok(tries > 10);
});

test("members, invitations, tokens, the account and its audit log are for owners alone to change", () => {
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

test("every route that reads answers the roles that it is for", async () => {
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

test("every change is refused from a page of another origin, or of none", async () => {
  const { routes, own } = dashboard;
  const origins = [
    ...["", "null", "https://evil.example", "http://localhost:8082", "https://localhost:8081"],
    ...[`${ORIGIN}.evil.example`, `${ORIGIN}/`, ORIGIN.toUpperCase()],
  ];
  const changes = routes.filter(({ method }) => isChange(method));
  for (const route of changes) {
    for (const origin of origins) {
      const { status, body } = await ask(own.owner, route, { origin });
      const told = `${route.method} ${route.url} from "${origin}"`;
      assert.deepEqual([status, body.code], [403, "wrong_origin"], told);
    }
  }
  assert.ok(changes.length > 10);
});

test("every change by who is signed in is refused without their own session's token", async () => {
  const { routes, own, foreign } = dashboard;
  const { csrfToken } = own.owner;
  const tokens = ["", "x", foreign.owner.csrfToken, own.editor.csrfToken, `${csrfToken}x`];
  for (const route of routes) {
    if (!isChange(route.method) || route.role === "anyone") continue;
    for (const token of tokens) {
      const { status, body } = await ask(own.owner, route, { "x-csrf-token": token });
      const told = `${route.method} ${route.url} with "${token}"`;
      assert.deepEqual([status, body.code], [403, "wrong_origin"], told);
    }
  }
});

test("no route reads or changes what another account has, by whatever id", async () => {
  const { routes, own, foreign } = dashboard;
  const before = await stateOf(foreign);
  let tries = 0;
  for (const { method, url, role } of routes) {
    if (role === "anyone") continue;
    for (const given of namings(url)) {
      const path = pathOf(url, given);
      const answer = await own.owner.ask(method, path, isChange(method) ? { body: {} } : {});
      assertNothing(answer, { told: `${method} ${path}`, given });
      tries++;
    }
  }
  assert.ok(tries > 20, `${tries} tries`);
  assert.deepEqual(await stateOf(foreign), before);
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

test("guardRoutes() refuses a route that does not declare who may call it, at the start", async () => {
  const app = fastify();
  guardRoutes(app, {} as SessionDeps, { publicUrl: ORIGIN });
  assert.throws(() => app.get("/api/open", () => ({})), /"GET \/api\/open".*who may call it/);
  await app.close();
});

test("the session's cookie is bound to this host and to TLS by its name", () => {
  assert.match(SESSION_COOKIE, /^__Host-/);
});

/** Each way to name what is the other account's in an address. */
function namings(url: string): Record<string, string>[] {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return names.flatMap((name) => {
    const others = names.filter((other) => other !== name && KINDS[other] !== undefined);
    if (KINDS[name] !== undefined) return [];
    const ids = foreignIds[name];
    assert.ok(ids, `${url}: say what :${name} is, in furnish() of guard_test.ts`);
    const [kind] = others;
    const kinds = kind === undefined
      ? [{}]
      : (KINDS[kind] ?? []).map((value) => ({ [kind]: value }));
    return ids.flatMap((id) => kinds.map((each) => ({ ...each, [name]: id })));
  });
}

/** It was refused: as not there, as no right id, or for the body that it has not. */
function assertNothing(
  { status, text }: Answer,
  { told, given }: { told: string; given: Record<string, string> },
): void {
  // A link is not of the account that one looks at, but for the person whose address it names.
  const isForAnother = status === 403 && told.startsWith("POST /api/invitations/");
  const isNothing = [400, 404].includes(status) || isForAnother;
  assert.ok(isNothing, `${told}: ${status} ${text}`);
  const ids = Object.values(given).reduce((rest, id) => rest.replaceAll(id, ""), text);
  if (!isForAnother) assert.doesNotMatch(ids, /canary/i, told);
}

/** All that an account has, as it lies in the database. */
async function stateOf({ accountId, owner }: TestAccount) {
  const { store } = dashboard;
  const now = new Date();
  const sends = await store.sends.list(accountId, { limit: 100 });
  return {
    sends,
    messages: await Promise.all(sends.map(({ _id }) => store.messages.list(accountId, _id))),
    emails: await store.templates.list(accountId, "email"),
    pdfs: await store.templates.list(accountId, "pdf"),
    integrations: await store.integrations.list(accountId),
    tokens: await store.tokens.list(accountId),
    members: await store.people.listMembers(accountId),
    invitations: await store.invitations.list(accountId, now),
    sessions: await store.sessions.list(owner.user._id, now),
    audit: await store.audit.list(accountId, { limit: 100 }),
    account: await store.accounts.find(accountId),
  };
}
