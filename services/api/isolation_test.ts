import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  API_SCOPES,
  ENDPOINTS,
  messageIdOf,
  pageOptionsSchema,
  parseMessageId,
  type TokenScope,
} from "@posthaste/contracts";
import { openStore, type Store } from "@posthaste/storage";
import { byDay, oneByDay, openTestMongo } from "@posthaste/kit";
import type { FastifyInstance } from "fastify";
import { assertAnswers, checkAnswers } from "./_test_answers.ts";
import { LOOSE_LIMITS, NO_BROKER } from "./_test_deps.ts";
import { withCachedReads } from "./cached_reads.ts";
import { buildApp } from "./app.ts";

/**
 * Tests accounts against each other over a real ledger. The routes are those that Fastify has: a
 * new route fails the first test until it has a rule here, and is then attacked like the others.
 */

/** What a parameter of a path names. */
type Kind =
  | ("template" | "pdf" | "integration" | "send" | "message" | "position")
  | ("batch" | "closedBatch" | "canceledBatch");

interface Rule {
  /** Missing if any token is accepted. */
  scope?: TokenScope;
  /** Whether it has a query string: unknown parameters are refused. */
  hasQuery?: true;
  /** What each parameter of the path names. */
  params: Record<string, Kind>;
  /** Returns a valid body, which also names PDF templates. */
  body?(pdf: string): Record<string, unknown>;
  /** The status of the answer to its own account. @default {200} */
  status?: number;
}

const SEND = {
  scope: "send" as const,
  params: { templateId: "template", integrationId: "integration" } as const,
  body: (pdf: string) => ({
    from: { email: "shop@example.com" },
    to: [{ email: "jane@example.net", attachments: [{ id: Number(pdf) || pdf }] }],
  }),
};

const BATCH = { templateId: 1, integrationId: 1, from: { email: "shop@example.com" } };

const RULES: Record<string, Rule> = {
  "POST /v1/templates/:templateId/render": {
    scope: "render",
    params: { templateId: "template" },
    body: () => ({ variables: {} }),
  },
  "POST /v1/templates/:templateId/send/:integrationId": SEND,
  "GET /v1/suppressions": { scope: "list", params: {}, hasQuery: true },
  "POST /v1/suppressions": {
    ...{ scope: "manage:suppressions", params: {} },
    body: () => ({ suppressions: [{ email: "gone@example.net" }] }),
  },
  "POST /v1/suppressions/remove": {
    ...{ scope: "manage:suppressions", params: {} },
    body: () => ({ emails: ["gone@example.net"] }),
  },
  "POST /v1/batches": { scope: "send", params: {}, body: () => BATCH },
  "POST /v1/batches/:id/recipients": {
    ...{ scope: "send", params: { id: "batch" } },
    body: (pdf) => ({ to: SEND.body(pdf).to }),
  },
  "POST /v1/batches/:id/close": { scope: "send", params: { id: "closedBatch" } },
  "POST /v1/batches/:id/cancel": { scope: "manage:messages", params: { id: "canceledBatch" } },
  "GET /v1/batches/:id": { scope: "read", params: { id: "closedBatch" } },
  "GET /v1/batches": { scope: "list", params: {}, hasQuery: true },
  // No renderer answers here.
  "POST /v1/templates/:templateId/send/:integrationId/dry-run": {
    ...{ ...SEND, status: 504, hasQuery: true },
  },
  "GET /v1/messages/:id": { scope: "read", params: { id: "message" } },
  "GET /v1/sends/:id": { scope: "read", params: { id: "send" } },
  "GET /v1": { params: {} },
  "GET /v1/openapi.json": { params: {} },
  "GET /v1/templates": { scope: "read", params: {}, hasQuery: true },
  "GET /v1/templates/:id": { scope: "read", params: { id: "template" } },
  "GET /v1/pdf-templates": { scope: "read", params: {}, hasQuery: true },
  "GET /v1/pdf-templates/:id": { scope: "read", params: { id: "pdf" } },
  "GET /v1/templates/:id/schema": { scope: "read", params: { id: "template" } },
  "GET /v1/pdf-templates/:id/schema": { scope: "read", params: { id: "pdf" } },
  "GET /v1/integrations": { scope: "read", params: {}, hasQuery: true },
  "GET /v1/integrations/:id": { scope: "read", params: { id: "integration" } },
  "GET /v1/messages": { scope: "list", params: {}, hasQuery: true },
  "GET /v1/sends": { scope: "list", params: {}, hasQuery: true },
  "GET /v1/events": { scope: "list", params: {}, hasQuery: true },
  "POST /v1/messages/:id/cancel": { scope: "manage:messages", params: { id: "message" } },
  "POST /v1/sends/:id/cancel": { scope: "manage:messages", params: { id: "send" } },
  "POST /v1/messages/cancel": {
    ...{ scope: "manage:messages", params: {} },
    body: () => ({ filter: { reference: "none" } }),
  },
  // No renderer answers here.
  "GET /v1/messages/:id/content": {
    ...{ scope: "read:content", params: { id: "message" }, status: 504 },
  },
  "GET /v1/messages/:id/attachments/:n": {
    ...{ scope: "read:content", params: { id: "message", n: "position" }, status: 504 },
  },
  "POST /v1/pdf-templates/:id/render": {
    ...{ scope: "render", params: { id: "pdf" }, status: 504 },
    body: () => ({}),
  },
  "GET /v1/messages/:id/explain": {
    ...{ scope: "read:content", params: { id: "message" }, hasQuery: true },
  },
  // It was sent immediately.
  "PATCH /v1/sends/:id": {
    ...{ scope: "manage:messages", params: { id: "send" }, status: 409 },
    body: () => ({ sendAt: null }),
  },
  // Canceled messages cannot be retried.
  "POST /v1/messages/:id/retry": {
    ...{ scope: "manage:messages", params: { id: "message" }, status: 409 },
  },
  "POST /v1/messages/retry": {
    ...{ scope: "manage:messages", params: {} },
    body: () => ({ state: "failed" }),
  },
};

/** What one account has. */
type Belongings = Record<Kind, string[]> & {
  accountId: string;
  tokens: Map<string, string>;
};

interface Route {
  method: string;
  url: string;
}

let opened: AsyncDisposableStack;
let store: Store;
let app: FastifyInstance;
let own: Belongings;
let foreign: Belongings;
const routes: Route[] = [];
const dispatched: string[] = [];

before(async () => {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.use(await openTestMongo());
  store = stack.use(await openStore({ url: mongo.url }));
  await store.ensureIndexes();
  app = buildApp({
    ...withCachedReads(store),
    mustWait: () => false,
    dispatch: async ({ accountId }) => void dispatched.push(accountId),
    render: ({ accountId }) =>
      Promise.resolve({ ok: true, subject: accountId, html: "", text: "" }),
    ...NO_BROKER,
    now: () => new Date(),
    logger: { debug() {}, info() {}, warn() {}, error: (...said) => assert.fail(said.join()) },
  }, LOOSE_LIMITS);
  const faults = checkAnswers(app);
  stack.defer(() => assertAnswers(faults));
  stack.defer(() => app.close());
  app.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, url });
  });
  await app.ready();
  own = await settle("Own", 1);
  // Numbers are counted per account: the higher ones exist in the other account only.
  foreign = await settle("Canary", byDay(2, 4));
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Creates an account with `count` objects of every kind. */
async function settle(name: string, count: number): Promise<Belongings> {
  const { _id: accountId } = await store.accounts.create({ name });
  const all: Omit<Belongings, "accountId" | "tokens"> = {
    ...{ template: [], pdf: [], integration: [], send: [], message: [], position: ["0"] },
    ...{ batch: [], closedBatch: [], canceledBatch: [] },
  };
  for (let i = 1; i <= count; i++) {
    const base = { accountId, variables: [], sourceHash: "x", alias: `${name}-${i}`.toLowerCase() };
    const parts = { subject: name, html: name, text: name };
    const email = { ...base, kind: "email" as const, name, source: parts, parts };
    const pdf = {
      ...{ ...base, kind: "pdf" as const, name, source: { html: name } },
      ...{ parts: { html: name, filename: `${name}.pdf` }, page: pageOptionsSchema.parse({}) },
    };
    const { template: { id } } = await store.templates.publish(email);
    all.template.push(String(id), base.alias);
    all.pdf.push(String((await store.templates.publish(pdf)).template.id), base.alias);
    const integration = await store.integrations.create({
      ...{ accountId, name: `${name} ${i}`, host: `${name.toLowerCase()}.example`, port: 25 },
      ...{ tls: "none", auth: null, senders: ["shop@example.com"] },
    });
    all.integration.push(String(integration.id));
  }
  const tokens = new Map<string, string>();
  for (const scopes of SCOPE_SETS) {
    const { token } = await store.tokens.create({ accountId, name, scopes });
    tokens.set(scopes.join(), token);
  }
  const belongings = { ...all, accountId, tokens };
  for (let i = 0; i < count; i++) {
    const path = `/v1/templates/1/send/1`;
    const to = [{
      ...{ email: `${name.toLowerCase()}@example.net`, variables: { secret: name } },
      attachments: [{ id: 1 }],
    }];
    const { body } = await ask(belongings, {
      method: "POST",
      url: path,
      payload: { from: { email: "shop@example.com" }, to },
    });
    all.send.push(body.id);
    all.message.push(body.messages[0].id);
    for (const list of [all.batch, all.closedBatch, all.canceledBatch]) {
      const headers = { "idempotency-key": randomUUID() };
      const url = "/v1/batches";
      const opened = await ask(belongings, { method: "POST", url, payload: BATCH, headers });
      list.push(opened.body.id);
    }
  }
  return belongings;
}

/**
 * The scopes of the tokens. Another scope takes no right away: so each scope alone, and all but one, show which
 * scopes a route requires. At night every set of scopes is tried.
 */
const SCOPE_SETS: readonly TokenScope[][] = byDay(
  [
    ...API_SCOPES.map((scope) => [scope]),
    ...API_SCOPES.map((scope) => API_SCOPES.filter((each) => each !== scope)),
    [...API_SCOPES],
  ],
  subsetsOf<TokenScope>(API_SCOPES).filter(({ length }) => length > 0),
);

/**
 * Returns tokens to try at a route. By day: that with its scope alone, that with all others, and of the rest one, in
 * turn.
 */
function tokensFor(scope: TokenScope | undefined, index: number): (readonly [string, string])[] {
  const others = API_SCOPES.filter((each) => each !== scope).join();
  const isTelling = (scopes: string) => scopes === scope || scopes === others;
  const all = [...own.tokens];
  const rest = all.filter(([scopes]) => !isTelling(scopes));
  return [...all.filter(([scopes]) => isTelling(scopes)), ...oneByDay(rest, index)];
}

function subsetsOf<T>(list: readonly T[]): T[][] {
  return list.reduce<T[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]]);
}

interface Ask {
  method: string;
  url: string;
  payload?: unknown;
  token?: string | undefined;
  headers?: Record<string, string>;
}

async function ask(who: Belongings, { method, url, payload, token, headers }: Ask) {
  const bearer = token ?? who.tokens.get(API_SCOPES.join());
  const answer = await app.inject({
    method: method as "GET",
    url,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...keyOf(method, url),
      ...headers,
    },
    ...(payload === undefined
      ? {}
      : { payload: typeof payload === "string" ? payload : JSON.stringify(payload) }),
  });
  const text = answer.body;
  return { status: answer.statusCode, text, body: text === "" ? {} : JSON.parse(text) };
}

/** Returns the key that a request needs: a new one for each part of a batch, and one for the batch that all open. */
function keyOf(method: string, url: string): Record<string, string> {
  if (method !== "POST" || !url.startsWith("/v1/batches")) return {};
  return { "idempotency-key": url.includes("/recipients") ? randomUUID() : "batch" };
}

function ruleOf({ method, url }: Route): Rule | undefined {
  return RULES[`${method === "HEAD" ? "GET" : method} ${url}`];
}

/** Returns the routes that have a rule: the others refuse a method. */
function ruled(): (Route & { rule: Rule })[] {
  return routes.flatMap((route) => {
    const rule = ruleOf(route);
    return rule === undefined ? [] : [{ ...route, rule }];
  });
}

/** Fills in a path. Ids that are not given are the account's first of their kind. */
function pathOf(route: Route & { rule: Rule }, ids: Record<string, string> = {}): string {
  return route.url.replaceAll(/:(\w+)/g, (_, name: string) => {
    const kind = route.rule.params[name];
    assert.ok(kind, `no rule for the parameter ${name} of ${route.url}`);
    return encodeURIComponent(ids[name] ?? own[kind][0] ?? "");
  });
}

const bodyOf = ({ rule }: { rule: Rule }) => rule.body?.(own.pdf[0] ?? "");

test("every route has a rule, or refuses its method", async () => {
  const found = new Set<string>();
  for (const route of routes) {
    if (ruleOf(route)) found.add(`${route.method} ${route.url}`);
    else {
      const { method, url } = route;
      const { status } = await ask(own, { method, url: url.replaceAll(/:\w+/g, "1") });
      assert.equal(status, 405, `${method} ${url} has no rule in isolation_test.ts`);
    }
  }
  const heads = Object.keys(RULES).filter((name) => name.startsWith("GET "))
    .map((name) => name.replace("GET", "HEAD"));
  assert.deepEqual([...found].toSorted(), [...Object.keys(RULES), ...heads].toSorted());
});

test("ENDPOINTS lists every route, and no other", () => {
  const listed = ENDPOINTS.map(({ method, path }) =>
    `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
  );
  assert.deepEqual(listed.toSorted(), Object.keys(RULES).toSorted());
});

test("every route answers its own account, and requires only its own scope", async () => {
  for (const [index, route] of ruled().entries()) {
    const { method, rule: { scope, status: answered = 200 } } = route;
    const request = { method, url: pathOf(route), payload: bodyOf(route) };
    for (const [scopes, token] of tokensFor(scope, index)) {
      const { status, text } = await ask(own, { ...request, token });
      const isEnough = scope === undefined || scopes.split(",").includes(scope);
      const expected = isEnough ? answered : 403;
      assert.equal(status, expected, `${method} ${route.url} with ${scopes}: ${text}`);
    }
  }
});

test("every route refuses a token that is unknown, expired, revoked or nearly right", async () => {
  const { accountId } = own;
  const base = { accountId, name: "t", scopes: [...API_SCOPES] };
  const expired = await store.tokens.create({ ...base, expiresAt: new Date(Date.now() - 1) });
  const revoked = await store.tokens.create(base);
  await store.tokens.revoke(accountId, revoked.record._id);
  const live = own.tokens.get(API_SCOPES.join()) ?? "";
  const tokens = [
    ...[expired.token, revoked.token, revoked.record._id, expired.record.prefix],
    ...[live.slice(0, -1), `${live}0`, live.toLowerCase(), live.replace("ph_", "")],
    ...['{"$ne":null}', '{"$gt":""}', "[object Object]", "null", "ph_", "*", ".*"],
  ];
  for (const [index, route] of ruled().entries()) {
    for (const token of oneByDay(tokens, index)) {
      const { method } = route;
      const { status, body } = await ask(own, {
        ...{ method, url: pathOf(route), payload: bodyOf(route), token },
      });
      assert.equal(status, 401, `${method} ${route.url} with ${token}`);
      if (method !== "HEAD") assert.deepEqual(body, { error: "Unauthenticated" });
    }
  }
});

test("no route shows, changes or uses what another account has, by any id", async () => {
  const before = await stateOf(foreign);
  const mine = new Set([...Object.values(own)].flatMap((ids) => Array.isArray(ids) ? ids : []));
  const { template, pdf, integration, send, message, accountId, ...rest } = foreign;
  const batches = [...rest.batch, ...rest.closedBatch, ...rest.canceledBatch];
  const [first] = await store.tokens.list(accountId);
  const strange = [...template, ...pdf, ...integration, ...send, ...message, ...batches, accountId];
  const ids = [...new Set([...strange, `${accountId}/1`, `${accountId}/email/2`, first?._id ?? ""])]
    .filter((id) => !mine.has(id));
  let tries = 0;
  for (const route of ruled()) {
    const { method, url } = route;
    for (const name of Object.keys(route.rule.params)) {
      for (const id of ids) {
        const path = pathOf(route, { [name]: id });
        const answer = await ask(own, { method, url: path, payload: bodyOf(route) });
        assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
        // It repeats the input, and nothing else.
        const reported = answer.text.toLowerCase().replaceAll(id.toLowerCase(), "");
        assert.doesNotMatch(reported, /canary/, `${method} ${path}`);
        tries++;
      }
    }
    for (const id of route.rule.body ? pdf.slice(1) : []) {
      const payload = route.rule.body?.(id);
      const isNamed = JSON.stringify(payload) !== JSON.stringify(bodyOf(route));
      const answer = await ask(own, { method, url: pathOf(route), payload });
      if (isNamed) assert.equal(answer.status, 400, `${method} ${url} with PDF ${id}`);
      assert.doesNotMatch(answer.text.toLowerCase().replaceAll(id, ""), /canary/);
      tries++;
    }
  }
  assert.ok(tries >= 80, `${tries} tries`);
  assert.deepEqual(await stateOf(foreign), before);
  // Every send accepted since belongs to the account that asked: foreign has its first sends only.
  assert.equal(dispatched.filter((id) => id === accountId).length, foreign.send.length);
});

test("operators in path, query, headers and body change nothing", async () => {
  const before = await stateOf(foreign);
  const { accountId } = foreign;
  const queries = [
    `accountId=${accountId}`,
    `accountId[$ne]=x&id[$gt]=&_id[$exists]=true`,
    "$where=1&filter[$where]=sleep(5000)",
    'q={"$ne":null}&accountId.$ne=x',
  ];
  const paths = [
    '{"$ne":null}',
    '{"$gt":""}',
    "[$ne]",
    "1;$where",
    "$where",
    "../1",
    "1\0",
    "1.$ne",
    "accountId.$",
  ];
  for (const route of ruled()) {
    const { method, url } = route;
    const payload = bodyOf(route);
    // What the first one changes, the others do not change again.
    await ask(own, { method, url: pathOf(route), payload });
    const plain = await ask(own, { method, url: pathOf(route), payload });
    for (const query of queries) {
      const answer = await ask(own, {
        method,
        url: `${pathOf(route)}?${encodeURI(query)}`,
        payload,
      });
      const asked = `${method} ${url}?${query}`;
      if (route.rule.hasQuery) assert.equal(answer.status, 400, asked);
      else assert.deepEqual(shapeOf(answer), shapeOf(plain), asked);
    }
    for (const name of Object.keys(route.rule.params)) {
      for (const id of paths) {
        const answer = await ask(own, { method, url: pathOf(route, { [name]: id }), payload });
        assert.equal(answer.status, 404, `${method} ${url} with ${id}: ${answer.text}`);
      }
    }
  }
  assert.deepEqual(await stateOf(foreign), before);
});

test("operators in a body are refused, or are values like any other", async () => {
  const before = await stateOf(foreign);
  const path = "/v1/templates/1/send/1";
  const from = { email: "shop@example.com" };
  const to = [{ email: "jane@example.net" }];
  const refused: Record<string, unknown>[] = [
    { from, to: [{ email: { $ne: null } }] },
    { from, to: [{ email: ["jane@example.net"] }] },
    { from: { $gt: "" }, to },
    { from: { email: { $regex: ".*" } }, to },
    { from, to: { $ne: [] } },
    { from, to: [{ ...to[0], attachments: [{ id: { $gt: 0 } }] }] },
    { from, to: [{ ...to[0], attachments: { $exists: true } }] },
    {
      from,
      to,
      variables: { $function: "x" },
      to0: 1,
      "to.0.email": "canary@example.net",
      $where: 1,
    },
  ];
  for (const payload of refused) {
    const { status, text } = await ask(own, { method: "POST", url: path, payload });
    if (status === 200) {
      const accepted = await store.sends.find(own.accountId, JSON.parse(text).id);
      // Unknown fields are left out: they reach no document.
      assert.deepEqual(accepted?.request.to.map(({ email }) => email), ["jane@example.net"]);
      assert.ok(!("$where" in (accepted?.request ?? {})), text);
      assert.ok(!("accountId" in (accepted?.request ?? {})), text);
    } else assert.equal(status, 400, text);
  }
  const variables = {
    $where: "sleep(5000)",
    "a.b": { $ne: null, "$set.c": [{ $unset: 1 }] },
    accountId: foreign.accountId,
    _bsontype: "ObjectId",
    $set: { state: "sent" },
  };
  const { status, body } = await ask(own, {
    method: "POST",
    url: path,
    payload: { from, to: [{ ...to[0], variables }], variables },
  });
  assert.equal(status, 200, JSON.stringify(body));
  const accepted = await store.sends.find(own.accountId, body.id);
  assert.deepEqual(accepted?.request.variables, variables);
  assert.deepEqual(accepted?.request.to[0]?.variables, variables);
  assert.equal(parseMessageId(body.messages[0].id)?.sendId, body.id);
  assert.deepEqual(await stateOf(foreign), before);
});

test("an idempotency key is a string, and belongs to one account", async () => {
  const request = {
    method: "POST",
    url: "/v1/templates/1/send/1",
    payload: { from: { email: "shop@example.com" }, to: [{ email: "jane@example.net" }] },
  };
  const headers = { "idempotency-key": "order-1" };
  const theirs = await ask(foreign, { ...request, headers });
  const ours = await ask(own, { ...request, headers });
  assert.deepEqual([theirs.status, ours.status], [200, 200]);
  assert.notEqual(ours.body.id, theirs.body.id);
  for (const key of ['{"$ne":null}', '{"$gt":""}', "[$ne]", ".*", "order-1.$"]) {
    const answer = await ask(own, { ...request, headers: { "idempotency-key": key } });
    if (answer.status !== 200) assert.equal(answer.status, 400, answer.text);
    else assert.ok(![ours.body.id, theirs.body.id].includes(answer.body.id), key);
  }
});

/** Returns an answer without the parts that differ each time. */
function shapeOf({ status, text }: { status: number; text: string }) {
  return { status, text: text.replaceAll(/(snd|msg)_[0-9a-z]+/g, "$1") };
}

/** Returns all that an account has, as stored in the ledger. */
async function stateOf({ accountId, send }: Belongings) {
  const sends = await store.sends.list(accountId, { limit: 100 });
  return {
    sends: sends.filter(({ _id }) => send.includes(_id)),
    messages: await Promise.all(
      send.map((id) => store.messages.find(accountId, messageIdOf(id, 0))),
    ),
    batches: await store.batches.list(accountId, { limit: 100 }),
    templates: await store.templates.list(accountId, "email"),
    pdfs: await store.templates.list(accountId, "pdf"),
    integrations: await store.integrations.list(accountId),
    tokens: (await store.tokens.list(accountId)).map(({ lastUsedAt: _, ...rest }) => rest),
  };
}
