import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { nodeFlags, SERVICES } from "@posthaste/dev";
import { openMongod, openNatsServer } from "@posthaste/embedded";
import {
  BROKER_USERS,
  brokerAccounts,
  brokerAddress,
  type BrokerUser,
  CONSUMERS,
  inboxPrefixOf,
  openBus,
  permissionsOf,
  STORES,
  STREAMS,
} from "@posthaste/messaging";
import {
  applyUsers,
  DATABASE_RIGHTS,
  DATABASE_USERS,
  type DatabaseUser,
  openStore,
} from "@posthaste/storage";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Db, MongoClient } from "mongodb";
import { openRandom, type Random } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";

/** The extent and the seed of the attack. */
export interface PrivilegeAttack {
  /** Of each kind, for all services together. */
  tries: number;
  seed: number;
  onProgress?(line: string): void;
}

/**
 * Logs in as each service, at the broker and at the database, and runs in its place on Node, and tries
 * forbidden actions, chosen at random.
 */
export async function attackPrivileges(options: PrivilegeAttack): Promise<AttackRow[]> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "posthaste-privileges-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const random = openRandom(`privileges ${options.seed}`);
  const rows: AttackRow[] = [];
  for (
    const [attack, run] of [
      ["a service does at the broker what is another's", attackBroker],
      ["a service does in the database what is another's", attackDatabase],
      ["a service reaches for a file that is not its own", attackFiles],
    ] as const
  ) {
    options.onProgress?.(attack);
    const started = performance.now();
    const tried = await run({ folder, tries: options.tries, random: random.fork(attack), opened });
    rows.push({ attack, ...tried, seconds: (performance.now() - started) / 1000 });
  }
  return rows;
}

interface Attack {
  folder: string;
  tries: number;
  random: Random;
  opened: AsyncDisposableStack;
}

type Tried = Pick<AttackRow, "tries" | "through" | "note">;

const PASSWORD = "0123456789abcdef";

async function attackBroker({ folder, tries, random, opened }: Attack): Promise<Tried> {
  const nats = opened.use(
    await openNatsServer({
      env: process.env,
      dataDir: join(folder, "nats"),
      isTemporary: true,
      accounts: brokerAccounts({
        operator: PASSWORD,
        services: Object.fromEntries(
          BROKER_USERS.map((user) => [user, PASSWORD]),
        ) as Record<BrokerUser, string>,
        apiPrefix: `OPERATOR.${PASSWORD}`,
      }),
    }),
  );
  const urlOf = (user: string) => nats.url.replace("//", `//${user}:${PASSWORD}@`);
  const operatorsUrl = `${urlOf("operator")}?api=OPERATOR.${PASSWORD}`;
  await using operator = await openBus({ url: operatorsUrl, name: "operator" });
  await operator.applyTopology();
  const through: string[] = [];
  let done = 0;
  for (const user of BROKER_USERS) {
    const connection = await connect(brokerAddress(urlOf(user)));
    const refused = countRefusals(connection);
    for (; done < tries * (BROKER_USERS.indexOf(user) + 1) / BROKER_USERS.length; done++) {
      const subject = forbiddenSubject(user, random);
      const before = refused();
      if (random.chance(0.8)) connection.publish(subject, random.pick(["", "{}", '{"seq":1}']));
      else connection.subscribe(subject, { callback: () => {} });
      await connection.flush();
      // The refusal and the answer to the flush come in this order, and are reported one turn apart.
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (refused() === before) through.push(`${user}: ${subject}`);
    }
    await connection.close();
  }
  await operator.check();
  return { tries: done, through: through.length, ...noteOf(through) };
}

function countRefusals(connection: NatsConnection): () => number {
  let refused = 0;
  void (async () => {
    for await (const { type } of connection.status()) if (type === "error") refused++;
  })();
  return () => refused;
}

const CALLS = [
  ...["CREATE", "UPDATE", "DELETE", "INFO", "PURGE", "SNAPSHOT", "RESTORE", "MSG.GET", "MSG.DELETE"]
    .map((call) => `STREAM.${call}`),
  ...["CREATE", "DURABLE.CREATE", "DELETE", "INFO", "LIST", "NAMES", "PAUSE", "MSG.NEXT"]
    .map((call) => `CONSUMER.${call}`),
  "DIRECT.GET",
];

/** Returns a subject that is forbidden to a service; the server does the matching. */
function forbiddenSubject(user: BrokerUser, random: Random): string {
  const { publish, subscribe } = permissionsOf(user);
  const streams = [
    ...STREAMS.map(({ name }) => name),
    ...STORES.map(({ name }) => `OBJ_${name}`),
    "KV_poison",
  ];
  for (;;) {
    const stream = random.pick(streams);
    const id = String(random.integer(1, 1e9));
    const consumer = random.pick([...CONSUMERS.map(({ name }) => name), id]);
    const other = random.pick(BROKER_USERS.filter((name) => name !== user));
    const subject = random.pick([
      `$JS.API.${random.pick(CALLS)}.${stream}`,
      `$JS.API.${random.pick(CALLS)}.${stream}.${consumer}`,
      `$JS.ACK.${stream}.${consumer}.1.${id}.1.1.0`,
      random.pick(STREAMS.flatMap(({ subjects }) => subjects)).replace(/[*>]/g, () => `x${id}`),
      `$O.${random.pick(STORES).name}.${random.pick(["C", "M"])}.${id}`,
      `$KV.poison.${stream}.${id}`,
      `${inboxPrefixOf(other)}.${id}`,
      `$SYS.REQ.${random.pick(["SERVER.PING", "ACCOUNT.PING", `ACCOUNT.${id}.CONNZ`])}`,
      id,
    ]);
    if (![...publish, ...subscribe].some((pattern) => isWithin(subject, pattern))) return subject;
  }
}

function isWithin(subject: string, pattern: string): boolean {
  const [found, wanted] = [subject.split("."), pattern.split(".")];
  const isOpen = wanted.at(-1) === ">";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  return (isOpen ? found.length > fixed.length : found.length === fixed.length) &&
    fixed.every((token, at) => token === "*" || token === found[at]);
}

const COLLECTIONS = [
  ...["accounts", "tokens", "counters", "templates", "versions", "integrations", "sends"],
  ...["messages", "mailers", "integration_health", "integrations_open", "system.views"],
  ...["users", "members", "sessions", "invitations", "audit", "drafts", "statistics"],
];

async function attackDatabase({ folder, tries, random, opened }: Attack): Promise<Tried> {
  const mongod = opened.use(
    await openMongod({
      env: process.env,
      dataDir: join(folder, "mongodb"),
      isTemporary: true,
      key: PASSWORD,
    }),
  );
  const passwords = Object.fromEntries(DATABASE_USERS.map((user) => [user, PASSWORD]));
  await applyUsers(mongod.url, {
    operator: PASSWORD,
    services: passwords as Record<DatabaseUser, string>,
  });
  const urlOf = (user: string) =>
    mongod.url.replace("//__system:", `//${user}:`).replace("authSource=local", "authSource=admin");
  await using store = await openStore({ url: urlOf("operator") });
  await store.ensureIndexes();
  const through: string[] = [];
  let done = 0;
  for (const user of DATABASE_USERS) {
    await using client = await new MongoClient(urlOf(user)).connect();
    for (; done < tries * (DATABASE_USERS.indexOf(user) + 1) / DATABASE_USERS.length; done++) {
      const command = forbiddenCommand(user, random);
      const db: Db = client.db(random.chance(0.9) ? "posthaste" : random.pick(["admin", "local"]));
      const code = await db.command(command).then(() => 0, (error) => Number(error.code));
      // Unauthorized. Commands that even an operator may not use, or that do not exist, did nothing either.
      if (code === 0) through.push(`${user}: ${JSON.stringify(command)}`);
    }
  }
  return { tries: done, through: through.length, ...noteOf(through) };
}

function forbiddenCommand(user: DatabaseUser, random: Random): Record<string, unknown> {
  const rights = DATABASE_RIGHTS[user];
  for (;;) {
    const name = random.pick(COLLECTIONS);
    const other = random.pick(COLLECTIONS);
    const may = rights[name] ?? [];
    const stage = random.pick([
      { $lookup: { from: other, pipeline: [], as: "all" } },
      { $unionWith: other },
      { $graphLookup: graphOf(other) },
      { $out: other },
      { $merge: other },
    ]);
    const [action, command] = random.pick<[string, Record<string, unknown>]>([
      ["find", { find: name, filter: {} }],
      ["find", { count: name }],
      ["find", { distinct: name, key: "auth.password" }],
      ["insert", { insert: name, documents: [{ a: 1 }] }],
      ["update", { update: name, updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] }],
      ["remove", { delete: name, deletes: [{ q: {}, limit: 0 }] }],
      ["never", { aggregate: name, pipeline: [stage], cursor: {} }],
      ["never", { drop: name }],
      ["never", { createIndexes: name, indexes: [{ key: { a: 1 }, name: "a" }] }],
      ["never", { collMod: "integrations_open", viewOn: "integrations", pipeline: [] }],
      ["never", { create: `x${random.integer(1, 1e9)}`, viewOn: "integrations", pipeline: [] }],
      ["never", { grantRolesToUser: user, roles: ["root"] }],
      ["never", { updateUser: user, roles: ["root"] }],
      ["never", { usersInfo: 1 }],
      ["never", { dropDatabase: 1 }],
      ["never", { renameCollection: `posthaste.${name}`, to: "posthaste.mine" }],
    ]);
    const reads = "aggregate" in command && rights[name] !== undefined &&
      rights[other] !== undefined;
    if (!reads && !(may as readonly string[]).includes(action)) return command;
  }
}

function graphOf(from: string) {
  return { from, startWith: "$_id", connectFromField: "_id", connectToField: "_id", as: "all" };
}

/** Runs in place of a service; the first argument is the list of paths. */
const INTRUDER = `
  const fs = require("node:fs");
  const through = [];
  for (const path of JSON.parse(process.argv[1])) {
    for (const [what, attempt] of [
      ["read", () => fs.readFileSync(path)],
      ["read by bytes", () => fs.readFileSync(Buffer.from(path))],
      ["list", () => fs.readdirSync(path)],
      ["write", () => fs.appendFileSync(path, "x")],
      ["link", () => fs.symlinkSync(path, path + ".link")],
      ["remove", () => fs.rmdirSync(path)],
    ]) {
      try { attempt(); through.push(what + " " + path); } catch (error) {
        if (error.code !== "ERR_ACCESS_DENIED") through.push(what + " " + path + ": " + error.message);
      }
    }
  }
  process.stdout.write(JSON.stringify(through), () => process.exit(0));
`;

const WAYS_PER_PATH = 6;

async function attackFiles({ folder, tries, random }: Attack): Promise<Tried> {
  const root = join(import.meta.dirname, "../..");
  const secret = join(folder, "users.json");
  await writeFile(secret, "{}");
  const through: string[] = [];
  const perService = Math.ceil(tries / SERVICES.length / WAYS_PER_PATH);
  for (const name of SERVICES) {
    const others = SERVICES.filter((other) => other !== name);
    const paths = Array.from({ length: perService }, () => {
      const target = random.pick([
        ...["/etc/passwd", "/etc/shadow", "/root/.ssh/id_rsa", "/var/log/syslog", secret],
        join(root, ".git/config"),
        join(root, "docs/security.md"),
        join(root, "services", random.pick(others), "main.ts"),
        join(root, ".posthaste/users.json"),
      ]);
      return disguised(target, { root, random });
    });
    const flags = nodeFlags(name, {
      env: { PATH: "/nowhere", HOME: "/nowhere", TMPDIR: "/nowhere" },
      root,
      cacheDir: "/nowhere/cache",
      compiledDir: "/nowhere/compiled",
      inboxDir: "/nowhere/inbox",
    });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...flags, "-e", INTRUDER, JSON.stringify(paths)],
      { env: {}, maxBuffer: 64 * 1024 * 1024 },
    );
    through.push(...(JSON.parse(stdout) as string[]).map((what) => `${name}: ${what}`));
  }
  const done = perService * SERVICES.length * WAYS_PER_PATH;
  return { tries: done, through: through.length, ...noteOf(through) };
}

/** Returns the same path through a readable folder. */
function disguised(path: string, { root, random }: { root: string; random: Random }): string {
  const up = "../chaos/".repeat(random.integer(20, 30));
  return random.pick([
    path,
    `/.${path}`,
    `//${path}`,
    `${root}/libs/${up}${path}`,
    `${root}/node_modules/./${up}${path}`,
    `${root}/libs/../libs/${up}/.${path}`,
  ]);
}

function noteOf(through: readonly string[]): { note?: string } {
  return through.length === 0 ? {} : { note: through.slice(0, 5).join("; ") };
}
