import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NO_SECOND_FACTOR, type Role } from "@posthaste/contracts";
import { buildDashboard, type ServiceProcess, startService } from "@posthaste/dev";
import { freePort } from "@posthaste/embedded";
import { openBus } from "@posthaste/messaging";
import {
  hashPassword,
  openStore,
  readMasterKeys,
  sealingKeyOf,
  type Store,
  writeSealingKey,
} from "@posthaste/storage";
import {
  openTestMongo,
  openTestNats,
  openTestProvider,
  type TestProvider,
  until,
} from "@posthaste/kit";
import { type Db, MongoClient } from "mongodb";
import { openRandom, type Random } from "@posthaste/chaos";
import { MASTER_KEY } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";
import type { AttackOptions } from "./secrets.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COOKIE = "__Host-posthaste";
const PASSWORD = "correct horse battery staple";
const QUOTA = 5;
/** Maximum mails of one kind to one address before the caller has to wait. */
const MAX_MAILS = 6;
const MAX_GROWTH_BYTES = 150_000_000;
const LARGE_BYTES = 4_900_000;

/** The requests and cookies of a browser. */
interface Browser {
  cookie: string;
  csrfToken: string;
  accountId: string;
  userId: string;
}

interface World {
  store: Store;
  db: Db;
  random: Random;
  port: number;
  process: ServiceProcess;
  /** The account of the attacker, and the one that is attacked. */
  own: Browser;
  other: Browser;
  /** Second address of the dashboard, for sign-ins. */
  provider: TestProvider;
  /** The account that sends Posthaste's own mail. */
  systemId: string;
}

type Tried = Pick<AttackRow, "tries" | "through" | "note">;

/**
 * Attacks the dashboard, a real process: accounts by invitations, half sign-ins, tabs, forged changes,
 * information in answers, targets of integrations, quotas, the audit log, and memory.
 */
export async function attackDashboard(options: AttackOptions): Promise<AttackRow[]> {
  await using opened = new AsyncDisposableStack();
  const world = await openWorld(opened, options.seed);
  const attacks: [string, (world: World, tries: number) => Promise<Tried>, number][] = [
    ["an account, by somebody else's address and guesses of their link", attackInvitations, 0.01],
    ["an account, by what a provider says of somebody who was invited", attackProvider, 0.05],
    ["somebody's inbox, by mail of Posthaste itself", attackInbox, 0.1],
    ["the dashboard, by a password without the second factor", attackHalves, 0.1],
    ["another account, by its name in the page", attackAccounts, 0.1],
    ["a change from another origin, without its token or its account", attackOrigins, 0.1],
    ["who is a customer, by what answers tell", attackAnswers, 0.02],
    ["an integration, pointed elsewhere by editors or without its password", attackServers, 0.02],
    ["more than the quota", attackQuotas, 0.02],
    ["the audit log, changed behind its back", attackAudit, 0.05],
    ["memory and answers, by bodies that are large or never end", attackMemory, 0.05],
  ];
  const rows: AttackRow[] = [];
  for (const [attack, run, share] of attacks) {
    options.onProgress?.(attack);
    const started = performance.now();
    const tried = await run(world, Math.max(3, Math.ceil(options.tries * share)));
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    rows.push({ attack: `dashboard: ${attack}`, ...tried, seconds });
  }
  return rows;
}

async function openWorld(opened: AsyncDisposableStack, seed: number): Promise<World> {
  await buildDashboard({ root: ROOT });
  const mongod = opened.use(await openTestMongo());
  const nats = opened.use(await openTestNats());
  const store = opened.use(await openStore({ url: mongod.url }));
  await store.ensureIndexes();
  {
    await using bus = await openBus({ url: nats.url, name: "dashboard" });
    await bus.applyTopology();
  }
  const provider = opened.use(await openTestProvider());
  const { _id: systemId } = await store.accounts.create({ name: "system" });
  await store.integrations.create({
    ...{ accountId: systemId, name: "out", host: "127.0.0.1", port: 25, tls: "none", auth: null },
    senders: ["posthaste@system.example"],
  });
  const mongo = new MongoClient(mongod.url);
  opened.defer(() => mongo.close());
  const port = await freePort();
  const dashboard = opened.use(
    await startService({
      name: "dashboard",
      main: fileURLToPath(
        new URL("services/dashboard/main.ts", new URL("../../", import.meta.url)),
      ),
      env: {
        ...process.env,
        ...{ MONGODB_URL: mongod.url, NATS_URL: nats.url, HOST: "127.0.0.1", PORT: String(port) },
        SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(MASTER_KEY))),
        SECOND_FACTOR_KEY: randomBytes(32).toString("base64"),
        PUBLIC_URL: originOf(port),
        ...{ MAX_TEMPLATES: `${QUOTA}`, MAX_ACCOUNTS: `${QUOTA}` },
        REQUEST_TIMEOUT: "2s",
        SYSTEM_ACCOUNT: systemId,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.settings.clientId,
        OIDC_CLIENT_SECRET: provider.settings.clientSecret,
      },
    }),
  );
  const base = { store, db: mongo.db(), port, process: dashboard, provider, systemId };
  const random = openRandom(`dashboard/${seed}`);
  const nobody = { cookie: "", csrfToken: "", accountId: "", userId: "" };
  const world: World = { ...base, random, own: nobody, other: nobody };
  world.own = await settle(world, "own");
  world.other = await settle(world, "other");
  // The objects refused below exist for those with the right to them.
  const asked = [...READS.map((path) => ["GET", path, undefined] as const), ...CHANGES];
  for (const [method, path, body] of asked) {
    const { status, text } = await ask(world, world.own, [method, path], { body });
    if (status !== 200) throw new Error(`Cannot attack "${path}": ${status} ${text}`);
  }
  return world;
}

function originOf(port: number): string {
  return `http://localhost:${port}`;
}

/** Opens an account with a signed-in owner. */
async function settle(world: World, name: string): Promise<Browser> {
  const { _id: accountId } = await world.store.accounts.create({ name });
  await addMember(world, { accountId, email: `owner@${name}.example`, role: "owner" });
  return await signIn(world, `owner@${name}.example`);
}

const HASH = hashPassword(PASSWORD);

async function addMember(
  { store }: World,
  { accountId, email, role }: { accountId: string; email: string; role: Role },
) {
  const user = await store.people.create({
    ...{ email, name: email, passwordHash: await HASH, emailProvenAt: new Date() },
  });
  await store.people.setMember({ accountId, userId: user._id, role });
  return user;
}

interface Ask {
  body?: unknown;
  headers?: Record<string, string>;
}

async function ask(
  { port }: Pick<World, "port">,
  browser: Partial<Browser>,
  [method, path]: readonly [string, string],
  { body, headers = {} }: Ask = {},
) {
  const { cookie = "", csrfToken = "", accountId = "" } = browser;
  const all = {
    ...{ origin: originOf(port), "x-csrf-token": csrfToken, "x-account": accountId },
    ...(cookie === "" ? {} : { cookie: `${COOKIE}=${cookie}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...{ method, redirect: "manual" },
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const set = answer.headers.getSetCookie().find((each) => each.startsWith(`${COOKIE}=`));
  return {
    ...{ status: answer.status, text, body: readJson(text) },
    cookie: set?.slice(COOKIE.length + 1).split(";")[0] ?? "",
  };
}

// deno-lint-ignore no-explicit-any
function readJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function signIn(world: World, email: string, password = PASSWORD): Promise<Browser> {
  const { status, cookie, text } = await ask(world, {}, ["POST", "/api/sign-in/login"], {
    body: { email, password },
  });
  if (status !== 200) throw new Error(`Cannot sign in as "${email}": ${status} ${text}`);
  const { body } = await ask(world, { cookie }, ["GET", "/api/session"]);
  return {
    ...{ cookie, csrfToken: body?.csrfToken ?? "" },
    ...{ accountId: body?.account?.id ?? "", userId: body?.user?.id ?? "" },
  };
}

/** Invites to an account, and returns the token of the link, which only the invited address gets. */
async function invite(world: World, owner: Browser, email: string): Promise<string> {
  const { text } = await ask(world, owner, ["POST", "/api/invitations"], {
    body: { email, role: "editor" },
  });
  // Another mail to the same address may be of the same moment.
  const mails = await systemMailTo(world, email);
  const [token] = mails.flatMap((mail) => /\/invitation\/([\w~-]+)/.exec(mail)?.[1] ?? []);
  if (token === undefined) throw new Error(`Cannot invite "${email}": ${text}`);
  if (text.includes(token)) {
    throw new Error("The link of an invitation is returned to the inviting person");
  }
  return token;
}

/** Returns the requests of Posthaste's own mail to an address, the newest first, as JSON. */
async function systemMailTo({ db, systemId }: World, email: string): Promise<string[]> {
  const sends = await db.collection("sends").find({ accountId: systemId }).sort({ _id: -1 })
    .toArray();
  return sends.map(({ request }) => String(request)).filter((request) => request.includes(email));
}

/**
 * Attacks invitations: an owner invites the victim, takes the victim's address, and guesses the victim's
 * link.
 */
async function attackInvitations(world: World, tries: number): Promise<Tried> {
  const { own, other, store } = world;
  const name = "attacker@own.example";
  await addMember(world, { accountId: own.accountId, email: name, role: "owner" });
  const attacker = { ...await signIn(world, name), accountId: own.accountId };
  const most = Math.min(tries, 20);
  let through = 0;
  for (let n = 0; n < most; n++) {
    const email = `ceo${n}@victim.example`;
    // Throws if the answer contains the link.
    await invite(world, attacker, email);
    await ask(world, attacker, ["PUT", "/api/you/email"], { body: { current: PASSWORD, email } });
    await invite(world, other, email);
    const known = [
      ...await store.invitations.list(other.accountId, new Date()),
      ...await store.invitations.list(own.accountId, new Date()),
    ].map(({ _id }) => _id);
    for (const guess of [...known, randomBytes(32).toString("base64url")]) {
      const joined = [
        await ask(world, attacker, ["POST", `/api/invitations/${guess}/accept`]),
        await ask(world, {}, ["POST", `/api/sign-in/invitation/${guess}`], {
          body: { name: "Somebody", password: PASSWORD },
        }),
      ];
      through += joined.filter(({ status }) => status < 400).length;
    }
    const members = await store.people.listMembers(other.accountId);
    if (members.some(({ user }) => user.email === email)) through++;
    await world.db.collection("sign_in_attempts").deleteMany({});
    for (const accountId of [own.accountId, other.accountId]) {
      for (const { _id } of await store.invitations.list(accountId, new Date())) {
        await store.invitations.remove(accountId, _id);
      }
    }
  }
  return { tries: most, through };
}

/**
 * Attacks sign-in by a provider: with any claims, no one may join an account, or sign in, without consent.
 */
async function attackProvider(world: World, tries: number): Promise<Tried> {
  const { own, provider, random, store, port, db } = world;
  const most = Math.min(tries, 40);
  const base = `http://127.0.0.1:${port}`;
  let through = 0;
  for (let n = 0; n < most; n++) {
    const email = `cfo${n}@victim.example`;
    const token = await invite(world, own, email);
    const known = "owner@other.example";
    provider.forges = random.chance(0.2);
    provider.next = {
      sub: `sub-${n}`,
      ...random.pick([
        { email, email_verified: true },
        { email, email_verified: false },
        { email: known, email_verified: false },
        { email: known },
        { email: known, email_verified: true, nonce: "another" },
        { email: known, email_verified: true, aud: "another" },
        { email, email_verified: true, nonce: "another" },
        { email, email_verified: true, aud: "another" },
      ]),
    };
    const path = random.chance(0.5) ? "" : `?invitation=${encodeURIComponent(token)}`;
    const sent = await fetch(`${base}/api/sign-in/oidc${path}`, { redirect: "manual" });
    const cookie = sent.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
    const location = sent.headers.get("location");
    if (location === null) throw new Error(`Cannot go to the provider: ${await sent.text()}`);
    const asked = await fetch(location, { redirect: "manual" });
    const back = new URL(asked.headers.get("location") ?? "");
    const arrived = await fetch(`${base}${back.pathname}${back.search}`, {
      ...{ redirect: "manual", headers: { cookie } },
    });
    const isIn = arrived.headers.getSetCookie().some((each) =>
      each.startsWith(`${COOKIE}=ph`) ||
      new RegExp(`^${COOKIE}=[^;]`).test(each)
    );
    const members = await store.people.listMembers(own.accountId);
    if (isIn || members.some(({ user }) => user.email === email)) through++;
    await db.collection("sign_in_attempts").deleteMany({});
    for (const { _id } of await store.invitations.list(own.accountId, new Date())) {
      await store.invitations.remove(own.accountId, _id);
    }
  }
  return { tries: most, through };
}

/** Floods an inbox: anybody may request a new password for any address. */
async function attackInbox(world: World, tries: number): Promise<Tried> {
  const email = "owner@other.example";
  const before = (await systemMailTo(world, email)).length;
  for (let n = 0; n < Math.max(tries, 2 * MAX_MAILS); n++) {
    await ask(world, {}, ["POST", "/api/sign-in/forgotten"], { body: { email } });
  }
  await delay(500);
  const mails = (await systemMailTo(world, email)).length - before;
  if (mails === 0) throw new Error("Cannot attack an inbox: nothing is sent at all");
  await world.db.collection("sign_in_attempts").deleteMany({});
  return { tries, through: Math.max(0, mails - MAX_MAILS), note: `${mails} mails` };
}

const READS = [
  ...["/api/members", "/api/tokens", "/api/messages", "/api/integrations", "/api/account"],
  ...["/api/templates/email", "/api/audit", "/api/overview", "/api/you/sessions"],
];

const CHANGES: readonly (readonly [string, string, unknown])[] = [
  ["POST", "/api/templates/email", { name: "Welcome" }],
  ["POST", "/api/tokens", { name: "t", scopes: ["send"], expiresAt: null }],
  ["POST", "/api/invitations", { email: "friend@attacker.example", role: "owner" }],
  ["PATCH", "/api/account", { name: "Taken" }],
  ["DELETE", "/api/templates/email/1", undefined],
];

/**
 * Attacks half sign-ins: with only the password of a person who has a second factor, requests pages, and
 * guesses codes.
 */
async function attackHalves(world: World, tries: number): Promise<Tried> {
  const { store, other, random } = world;
  const email = "careful@other.example";
  const user = await addMember(world, { accountId: other.accountId, email, role: "owner" });
  const recoveryCodes = [createHash("sha256").update("never shown").digest("hex")];
  await store.people.update(user._id, {
    secondFactor: { ...NO_SECOND_FACTOR, totp: { secret: "sealed", lastStep: 0 }, recoveryCodes },
  });
  const half = { ...await signIn(world, email), accountId: other.accountId };
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const digits = String(random.integer(0, 999_999)).padStart(6, "0");
    const attempts: (() => Promise<{ status: number }>)[] = [
      () => ask(world, half, ["GET", random.pick(READS)]),
      () => {
        const [method, path, body] = random.pick(CHANGES);
        return ask(world, half, [method, path], { body });
      },
      () =>
        ask(world, half, ["POST", "/api/sign-in/second"], {
          body: random.pick<unknown>([
            { by: "recovery", code: digits },
            { by: "passkey", response: { id: digits } },
            { by: { $ne: null }, code: { $gt: "" } },
          ]),
        }),
    ];
    if ((await random.pick(attempts)()).status < 400) through++;
  }
  return { tries, through };
}

/** Attacks other accounts: requests name the other account, and use its ids. */
async function attackAccounts(world: World, tries: number): Promise<Tried> {
  const { own, other, random } = world;
  const foreign = { ...own, accountId: other.accountId };
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const isReading = random.chance(0.5);
    const [method, path, body] = isReading
      ? ["GET", random.pick(READS), undefined] as const
      : random.pick(CHANGES);
    const inQuery = random.chance(0.3);
    const { status } = await ask(
      world,
      inQuery ? { ...own, accountId: "" } : foreign,
      [method, inQuery ? `${path}?account=${other.accountId}` : path],
      { body },
    );
    if (status < 400) through++;
  }
  return { tries, through };
}

/** Sends the requests that a foreign page can make a signed-in browser send. */
async function attackOrigins(world: World, tries: number): Promise<Tried> {
  const { own, random, port } = world;
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const [method, path, body] = random.pick(CHANGES);
    const [without, headers] = random.pick<[Partial<Browser>, Record<string, string>]>([
      [{}, { origin: "https://evil.example" }],
      [{}, { origin: "null" }],
      [{}, { origin: "" }],
      [{}, { origin: `http://localhost:${port}.evil.example` }],
      [{ csrfToken: "" }, {}],
      [{ csrfToken: own.csrfToken.slice(1) }, {}],
      [{ csrfToken: own.csrfToken.toUpperCase() }, {}],
      [{ accountId: "" }, {}],
    ]);
    const { status } = await ask(world, { ...own, ...without }, [method, path], { body, headers });
    if (status < 400) through++;
  }
  return { tries, through };
}

/** Compares answers: they must be the same for addresses with and without a login. */
async function attackAnswers(world: World, tries: number): Promise<Tried> {
  const { own, store } = world;
  const known = "owner@other.example";
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const unknown = `owner@unknown${n}.example`;
    const asked = async (email: string) => {
      const login = await ask(world, {}, ["POST", "/api/sign-in/login"], {
        body: { email, password: "a wrong password" },
      });
      const reset = await ask(world, {}, ["POST", "/api/sign-in/forgotten"], { body: { email } });
      const token = await invite(world, own, email);
      const shown = await ask(world, {}, ["GET", `/api/sign-in/invitation/${token}`]);
      for (const { _id } of await store.invitations.list(own.accountId, new Date())) {
        await store.invitations.remove(own.accountId, _id);
      }
      return [login, reset, shown].map(({ status, text }) =>
        `${status} ${text.replaceAll(email, "them").replace(/"expiresAt":"[^"]*"/, "")}`
      ).join("\n");
    };
    const answers = [await asked(known), await asked(unknown)];
    if (answers[0] !== answers[1]) through++;
    // Guessing is slowed down; the comparison continues unchanged.
    await world.db.collection("sign_in_attempts").deleteMany({});
  }
  return { tries, through };
}

/** Attacks servers of integrations: editors change the server, and owners leave out the password. */
async function attackServers(world: World, tries: number): Promise<Tried> {
  const { own, random, store } = world;
  const settings = {
    ...{ name: "main", host: "smtp.example.com", port: 587, tls: "starttls", ca: null },
    ...{ allowInvalidCertificate: false, user: "shop", authMethod: null, senders: ["a@b.example"] },
    ...{ maxConnections: 5, maxPerMinute: null, retryForMs: 86_400_000, whenUnknown: "retry" },
  };
  const made = await ask(world, own, ["POST", "/api/integrations"], {
    body: { ...settings, password: "canary-password" },
  });
  if (made.status !== 200) throw new Error(`Cannot make an integration: ${made.text}`);
  const email = "editor@own.example";
  await addMember(world, { accountId: own.accountId, email, role: "editor" });
  const editor = { ...await signIn(world, email), accountId: own.accountId };
  const { id, revision } = made.body;
  for (let n = 0; n < tries; n++) {
    const change = random.pick<Record<string, unknown>>([
      ...[{ host: "evil.example" }, { port: 2525 }, { tls: "none" }, { user: "other" }],
      { allowInvalidCertificate: true },
    ]);
    const isEditor = random.chance(0.5);
    const body = {
      ...{ ...settings, ...change, revision },
      ...(isEditor && random.chance(0.5) ? { password: "mine" } : {}),
    };
    const browser = isEditor ? editor : own;
    await ask(world, browser, ["PUT", `/api/integrations/${id}`], { body });
    // A stored password must not be tested with another server either.
    await ask(world, browser, ["POST", "/api/integrations/probe"], {
      body: { id, settings: { ...settings, ...change } },
      headers: { "x-request-timeout": "1" },
    });
  }
  const found = await store.integrations.find(own.accountId, id);
  const isSame = found?.host === settings.host && found.port === settings.port &&
    found.tls === settings.tls && found.auth?.user === settings.user &&
    found.revision === revision;
  return { tries, through: isSame ? 0 : 1 };
}

/** One after another: of concurrent requests a few may pass. */
async function attackQuotas(world: World, tries: number): Promise<Tried> {
  const { own, store } = world;
  const most = Math.max(QUOTA + 2, Math.min(tries, 50));
  for (let n = 0; n < most; n++) {
    await ask(world, own, ["POST", "/api/templates/email"], { body: { name: `Template ${n}` } });
    await ask(world, own, ["POST", "/api/accounts"], { body: { name: `Account ${n}` } });
  }
  const templates = (await store.templates.list(own.accountId, "email")).length;
  const accounts = (await store.people.listMemberships(own.userId)).length;
  const through = Math.max(0, templates - QUOTA) + Math.max(0, accounts - QUOTA);
  return { tries: 2 * most, through, note: `${templates} templates, ${accounts} accounts` };
}

/** Attacks the audit log: a writer of the database changes, removes or exchanges a line. */
async function attackAudit(world: World, tries: number): Promise<Tried> {
  const { store, db, own: { accountId }, random } = world;
  const audit = db.collection("audit");
  const before = await store.audit.check(accountId);
  if (before.fault !== undefined) throw new Error(`Cannot attack the log: ${before.fault.what}`);
  // Only its digest, which is kept elsewhere, protects the newest line: docs/security.md.
  const lines = await audit.find({ accountId, seq: { $gt: 0, $lt: before.head.seq } }).toArray();
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const line = random.pick(lines);
    const other = random.pick(lines.filter(({ seq }) => seq !== line["seq"]));
    const { _id } = line;
    const how = random.integer(0, 3);
    if (how === 0) await audit.deleteOne({ _id });
    if (how === 1) await audit.updateOne({ _id }, { $set: { action: "session.began again" } });
    if (how === 2) await audit.updateOne({ _id }, { $set: { digest: other["digest"] } });
    if (how === 3) await audit.updateOne({ _id }, { $set: { at: new Date(0) } });
    if ((await store.audit.check(accountId)).fault === undefined) through++;
    await audit.replaceOne({ _id }, line, { upsert: true });
  }
  const after = await store.audit.check(accountId);
  return { tries, through: through + (after.fault === undefined ? 0 : 1) };
}

/**
 * Attacks memory: strangers send bodies that are expensive to parse, or endless, while a client sends
 * requests.
 */
async function attackMemory(world: World, tries: number): Promise<Tried> {
  const { port, process: { pid } } = world;
  const most = Math.min(tries, 300);
  const before = await memoryOf(pid);
  const sockets: Socket[] = [];
  const endless: Socket[] = [];
  let through = 0;
  try {
    for (let n = 0; n < most; n++) {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      sockets.push(socket.resume());
      await once(socket, "connect");
      const isLarge = n % 4 === 0;
      if (!isLarge) endless.push(socket);
      socket.write(
        `POST /api/sign-in/login HTTP/1.1\r\nHost: localhost:${port}\r\nOrigin: ${
          originOf(port)
        }\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n`,
      );
      socket.write(isLarge ? "[".repeat(LARGE_BYTES) : "[[");
    }
    const asked = await ask(world, {}, ["POST", "/api/sign-in/login"], {
      body: { email: "nobody@example.com", password: "x" },
    });
    if (asked.status >= 500) through++;
    const grown = await memoryOf(pid) - before;
    if (grown > MAX_GROWTH_BYTES) through++;
    // None is held for ever: endless ones are answered and closed.
    await until(() => endless.every((socket) => socket.closed || socket.readableEnded), {
      message: "every connection to be closed",
    }).catch(() => through++);
    return { tries: most, through, note: `${Math.round(grown / 1e6)} MB more` };
  } finally {
    for (const socket of sockets) socket.destroy();
    await delay(0);
  }
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
