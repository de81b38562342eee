import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  API_SCOPES,
  messageIdOf,
  newSendId,
  type TokenLimits,
  type TokenScope,
} from "@posthaste/contracts";
import { startService } from "@posthaste/dev";
import { freePort, openNatsServer } from "@posthaste/embedded";
import { openBus } from "@posthaste/messaging";
import { generateAccessToken, openStore, type Store } from "@posthaste/storage";
import { publishEmail } from "@posthaste/templating";
import { openTestMongo } from "@posthaste/kit";
import { type Db, type Document, MongoClient } from "mongodb";
import { openRandom, type Random } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";
import type { AttackOptions } from "./secrets.ts";

/** The routes and the scope that each needs; `services/api/isolation_test.ts` finds new ones. */
const ROUTES: { method: "GET" | "POST"; scope: TokenScope; path: (ids: string[]) => string }[] = [
  {
    method: "POST",
    scope: "render",
    path: ([id]) => `/templates/${id}/render`,
  },
  {
    method: "POST",
    scope: "send",
    path: ([id, other]) => `/templates/${id}/send/${other}`,
  },
  { method: "GET", scope: "read", path: ([id]) => `/sends/${id}` },
  { method: "GET", scope: "read", path: ([id]) => `/messages/${id}` },
];

const BODY = { from: { email: "shop@sender.example" }, to: [{ email: "jane@example.net" }] };
const WITHIN_MS = 5000;
const MARK = "CanaryOperand";

interface World {
  store: Store;
  db: Db;
  /** Bases of two processes of the interface. */
  apis: string[];
  random: Random;
  /** An account without data, one with a little, and the victim's account. */
  poor: Party;
  plain: Party;
  rich: Party & { ids: string[] };
}

interface Party {
  accountId: string;
  token: string;
}

/**
 * Attacks the isolation of accounts in two real processes of the interface: foreign ids, missing scopes,
 * forged tokens, operators (while the database reports each of its commands), and measures how long a revoked
 * token is accepted.
 */
export async function attackAccounts(options: AttackOptions): Promise<AttackRow[]> {
  await using opened = new AsyncDisposableStack();
  const world = await openWorld(opened, options.seed);
  const { tries, onProgress } = options;
  const attacks: [string, (world: World, tries: number) => Promise<Tried>][] = [
    ["ids of another account", attackIds],
    ["a token without the scope", attackScopes],
    ["a token that is limited to other addresses, templates, integrations", attackLimits],
    ["a token that was forged or altered", attackTokens],
    ["operators in path, query, header and body", attackOperators],
    [`a token ${WITHIN_MS / 1000} s after it was revoked, in two processes`, attackRevocation],
  ];
  const rows: AttackRow[] = [];
  for (const [attack, run] of attacks) {
    onProgress?.(attack);
    const started = performance.now();
    const tried = await run(world, tries);
    rows.push({ attack, ...tried, seconds: Math.round((performance.now() - started) / 100) / 10 });
  }
  return rows;
}

type Tried = Pick<AttackRow, "tries" | "through" | "note">;

async function openWorld(opened: AsyncDisposableStack, seed: number): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-accounts-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const mongod = opened.use(await openTestMongo());
  const nats = opened.use(
    await openNatsServer({
      ...{ env: process.env, dataDir, isTemporary: true },
      onUnexpectedExit: () => {},
    }),
  );
  const store = opened.use(await openStore({ url: mongod.url }));
  await store.ensureIndexes();
  {
    await using bus = await openBus({ url: nats.url, name: "accounts" });
    await bus.applyTopology();
  }
  const mongo = new MongoClient(mongod.url);
  opened.defer(() => mongo.close());
  const apis: string[] = [];
  for (const name of ["api-1", "api-2"]) {
    const port = await freePort();
    opened.use(
      await startService({
        name,
        main: fileURLToPath(new URL("../../services/api/main.ts", import.meta.url)),
        env: {
          ...process.env,
          ...{ MONGODB_URL: mongod.url, NATS_URL: nats.url, RATE_LIMIT: "0" },
          // There is no renderer: a request that gets that far reaches nothing.
          RENDER_TIMEOUT: "100ms",
          ...{ HOST: "127.0.0.1", PORT: String(port) },
        },
      }),
    );
    apis.push(`http://127.0.0.1:${port}/v1`);
  }
  const plain = await settle(store, "plain");
  const rich = await settle(store, "rich");
  const poor = await openAccount(store, "poor");
  const random = openRandom(`accounts/${seed}`);
  const world = { store, db: mongo.db(), apis, random, poor, plain };
  const ids = [rich.accountId, `${rich.accountId}/1`, "welcome-rich", "1", "2"];
  const all = { ...world, rich: { ...rich, ids } };
  for (let i = 0; i < 5; i++) {
    const { body } = await ask(all, { ...sendOf("1", "1"), token: rich.token });
    const { id, messages } = body as { id: string; messages: { id: string }[] };
    ids.push(id, ...messages.map((message) => message.id));
  }
  return all;
}

async function openAccount(store: Store, name: string): Promise<Party> {
  const { _id: accountId } = await store.accounts.create({ name });
  const { token } = await store.tokens.create({ accountId, name, scopes: [...API_SCOPES] });
  return { accountId, token };
}

async function settle(store: Store, name: string): Promise<Party> {
  const party = await openAccount(store, name);
  const { accountId } = party;
  const source = { subject: name, html: `<p>${name}</p>` };
  const { subject, html, text } = await publishEmail(source);
  await store.templates.publish({
    ...{ accountId, kind: "email", alias: `welcome-${name}`, name, source, sourceHash: name },
    ...{ parts: { subject, html, text }, variables: [] },
  });
  await store.integrations.create({
    ...{ accountId, name, host: "smtp.example", port: 25, tls: "none", auth: null },
    senders: [BODY.from.email],
  });
  return party;
}

interface Ask {
  method: "GET" | "POST";
  path: string;
  token: string;
  body?: unknown;
  headers?: Record<string, string>;
}

function sendOf(template: string, integration: string) {
  return {
    method: "POST" as const,
    path: `/templates/${template}/send/${integration}`,
    body: BODY,
  };
}

async function ask(
  { apis, random }: Pick<World, "apis" | "random">,
  { method, path, token, body, headers }: Ask,
  api = random.pick(apis),
) {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: readJson(text) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes a number of attempts, some concurrently; each returns whether it got through. */
async function tryOften(count: number, attempt: (n: number) => Promise<boolean>): Promise<Tried> {
  let through = 0;
  let begun = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (begun < count) if (await attempt(begun++)) through++;
  }));
  return { tries: count, through };
}

function attackIds(world: World, tries: number): Promise<Tried> {
  const { random, rich, poor } = world;
  const known = rich.ids.filter((id) => id.startsWith("snd_"));
  const guess = () => {
    const id = random.pick(rich.ids);
    const derived = [
      id,
      id.toUpperCase(),
      `${id}/../${id}`,
      `${rich.accountId}/${id}`,
      messageIdOf(random.pick(known), random.integer(0, 3)),
      newSendId("acc_1"),
      encodeURIComponent(`${id}\0`),
      `0${id}`,
      `${id} `,
    ];
    return random.chance(0.4) ? id : random.pick(derived);
  };
  return tryOften(tries, async () => {
    const { method, path } = random.pick(ROUTES);
    // It has no data: everything that is found belongs to another account.
    const { status, text } = await ask(world, {
      ...{ method, path: path([guess(), guess()]), token: poor.token, body: BODY },
    });
    return status < 400 || status >= 500 || text.includes("jane@");
  });
}

async function attackScopes(world: World, tries: number): Promise<Tried> {
  const { store, random, rich: { accountId, ids } } = world;
  const sets: TokenScope[][] = [];
  const tokens = new Map<TokenScope[], { token: string }>();
  for (let set = 1; set < 2 ** API_SCOPES.length - 1; set++) {
    sets.push(API_SCOPES.filter((_, at) => set & (1 << at)));
  }
  const guess = () => encodeURIComponent(random.pick(ids));
  return await tryOften(tries, async () => {
    const { method, path, scope } = random.pick(ROUTES);
    const scopes = random.pick(sets.filter((some) => !some.includes(scope)));
    const made = tokens.get(scopes) ??
      await store.tokens.create({ accountId, name: "some", scopes });
    tokens.set(scopes, made);
    const { status } = await ask(world, {
      method,
      path: path([guess(), guess()]),
      token: made.token,
      body: BODY,
    });
    // 503: the ledger was not asked in time, and nothing was done.
    return status !== 403 && status !== 503;
  });
}

/** The object and the scope exist; the token is for another purpose. */
async function attackLimits(world: World, tries: number): Promise<Tried> {
  const { store, random, rich: { accountId } } = world;
  const scopes = [...API_SCOPES];
  const make = async (limits: Partial<TokenLimits>) =>
    (await store.tokens.create({ accountId, name: "limited", scopes, limits })).token;
  const elsewhere = await make({ addresses: ["203.0.113.0/24", "2001:db8::/32"] });
  const otherTemplate = await make({ templates: [2] });
  const otherIntegration = await make({ integrations: [2] });
  return await tryOften(tries, async () => {
    const template = random.pick(["1", "welcome-rich"]);
    const send = sendOf(template, "1");
    const [token, asked] = random.pick<[string, Omit<Ask, "token">]>([
      [elsewhere, send],
      [elsewhere, { method: "GET", path: "/sends/snd_1" }],
      [otherTemplate, send],
      [otherTemplate, { method: "POST", path: `/templates/${template}/render` }],
      [otherIntegration, send],
    ]);
    const forwarded = random.pick(["203.0.113.7", "2001:db8::1", "203.0.113.7, 127.0.0.1"]);
    const headers = { "x-forwarded-for": forwarded, forwarded: `for=${forwarded}` };
    const { status } = await ask(world, { ...asked, token, headers });
    return status !== 403 && status !== 503;
  });
}

async function attackTokens(world: World, tries: number): Promise<Tried> {
  const { random, rich: { token: known, ids } } = world;
  const chars = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const forge = (): string => {
    const at = random.integer(3, known.length - 1);
    const other = random.pick([...chars].filter((char) => char !== known[at]));
    return random.pick([
      () => known.slice(0, at) + other + known.slice(at + 1),
      () => known.slice(0, at),
      () => known + other,
      () => known.slice(0, at) + known.slice(at).toUpperCase() + other,
      generateAccessToken,
      () => known.slice(0, 9) + generateAccessToken().slice(9),
      () => random.pick(['{"$ne":null}', "null", "[object Object]", "$where", ".*", "ph_"]),
    ])();
  };
  const taken = new Map<number, string>();
  let unavailable = 0;
  const tried = await tryOften(tries, async () => {
    const { method, path } = random.pick(ROUTES);
    const id = encodeURIComponent(random.pick(ids));
    const token = forge();
    const { status } = await ask(world, { method, path: path([id, id]), token, body: BODY });
    // 503: the ledger was not asked in time, and nothing was done.
    if (status === 401) return false;
    if (status === 503) {
      unavailable++;
      return false;
    }
    taken.set(status, token.replace(known, "the token"));
    return true;
  });
  if (taken.size === 0) return { ...tried, note: `${unavailable} answered by 503` };
  return { ...tried, note: [...taken].map(([status, token]) => `${status} for ${token}`).join() };
}

async function attackOperators(world: World, tries: number): Promise<Tried> {
  const { db, random, plain, rich } = world;
  const before = await contentsOf(db, rich.accountId);
  await db.createCollection("system.profile", { capped: true, size: 50_000_000 });
  await db.command({ profile: 2 });
  const most = Math.min(tries, 2000);
  const tried = await tryOften(most, async () => {
    const { method, path } = random.pick(ROUTES);
    const operator = random.pick(["$ne", "$gt", "$where", "$regex", "$exists", "$in", "$expr"]);
    const field = random.pick(["accountId", "_id", "to.0.email", "scopes", "alias", "$or"]);
    const operand = { [operator]: random.pick<unknown>([MARK, [MARK], { [operator]: MARK }]) };
    const text = encodeURIComponent(JSON.stringify(operand));
    const place = random.integer(0, 4);
    const id = place === 0 ? text : random.pick(["1", "welcome-plain", random.pick(rich.ids)]);
    const query = place === 1
      ? `?${field}[${operator}]=${MARK}&${encodeURIComponent(`${field}.${operator}`)}=${text}`
      : "";
    const body = place === 2
      ? { ...BODY, [field]: operand }
      : place === 3
      ? { ...BODY, to: [{ email: operand }] }
      : { ...BODY, variables: { [`${field}.${operator}`]: operand, [operator]: operand } };
    const { status, body: said } = await ask(world, {
      ...{ method, path: path([id, "1"]) + query, token: plain.token, body },
      headers: place === 4 ? { "idempotency-key": JSON.stringify(operand) } : {},
    });
    const found = (said as { accountId?: string } | undefined)?.accountId;
    return status === 500 || found === rich.accountId;
  });
  await db.command({ profile: 0 });
  const commands = await db.collection("system.profile").find({}).toArray();
  const obeyed = commands.filter(({ command }) => operandsIn(command ?? {}).length > 0);
  const kept = JSON.stringify(before) === JSON.stringify(await contentsOf(db, rich.accountId));
  return {
    tries: most,
    through: tried.through + obeyed.length + (kept ? 0 : 1),
    note: `${commands.length} commands of the database looked through, ${obeyed.length} obeyed one`,
  };
}

/** Returns whether an operand of the attacker is under an operator. */
function operandsIn(value: unknown, isUnder = false): string[] {
  if (typeof value === "string") return isUnder && value === MARK ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => operandsIn(item, isUnder));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    operandsIn(inner, isUnder || key.startsWith("$"))
  );
}

async function contentsOf(db: Db, accountId: string): Promise<Document[]> {
  const names = ["templates", "versions", "integrations", "sends", "messages"];
  const found = await Promise.all(
    names.map((name) => db.collection(name).find({ accountId }).sort({ _id: 1 }).toArray()),
  );
  return found.flat();
}

async function attackRevocation(world: World, tries: number): Promise<Tried> {
  const { store, apis, rich: { accountId, ids }, random } = world;
  const path = `/sends/${ids.find((id) => id.startsWith("snd_"))}`;
  const longest: number[] = [];
  let through = 0;
  const tokens = tries < 100 ? 2 : tries < 1000 ? 4 : 10;
  await Promise.all(Array.from({ length: tokens }, async () => {
    const { token, record } = await store.tokens.create({ accountId, name: "x", scopes: ["read"] });
    const isTaken = async (api: string) =>
      (await ask(world, { method: "GET", path, token }, api)).status === 200;
    for (const api of apis) if (!await isTaken(api)) throw new Error("a live token was refused");
    // The caches are read all the time, and have any age when the token ends.
    const end = random.integer(0, 1500);
    const begun = performance.now();
    let revokedAt = Infinity;
    const revoking = delay(end).then(async () => {
      await store.tokens.revoke(accountId, record._id);
      revokedAt = performance.now();
    });
    await Promise.all(apis.map(async (api) => {
      let last = 0;
      while (performance.now() < Math.min(revokedAt, begun + 60_000) + WITHIN_MS + 500) {
        const asked = performance.now();
        if (await isTaken(api)) last = asked;
        await delay(tries < 100 ? 250 : 50);
      }
      longest.push(last - revokedAt);
      if (last - revokedAt > WITHIN_MS) through++;
    }));
    await revoking;
  }));
  const most = Math.max(...longest);
  return {
    tries: longest.length,
    through,
    note: `taken for ${Math.round(most)} ms at most`,
  };
}
