import { openMongod } from "@posthaste/embedded";
import { testSend } from "@posthaste/kit";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Db, MongoClient, MongoServerError } from "mongodb";
import { applyUsers } from "./apply_users.ts";
import {
  DATABASE_RIGHTS,
  DATABASE_USERS,
  type DatabaseAction,
  type DatabaseUser,
  OPEN_INTEGRATIONS,
} from "./database_rights.ts";
import { openStore, type Store } from "./store.ts";

const PASSWORDS = {
  ...{ api: "a1", renderer: "r1", mailer: "m1", tracker: "t1", webhooks: "w1", dashboard: "d1" },
};
const SEALED = "canary of a login";

const NO_SECRET = { keyId: "k", wrappedKey: "w", nonce: "n", ciphertext: "c" };

let systemUrl: string;
let store: Store;
let accountId: string;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-mongo-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const key = "0123456789abcdef";
  const mongod = stack.use(
    await openMongod({ env: process.env, dataDir, isTemporary: true, key }),
  );
  systemUrl = mongod.url;
  for (let again = 0; again < 2; again++) {
    await applyUsers(systemUrl, { operator: "o1", services: PASSWORDS });
  }
  store = stack.use(await openStore({ url: urlOf("operator", "o1") }));
  await store.ensureIndexes();
  await store.ensureIndexes();
  accountId = (await store.accounts.create({ name: "The Shop" }))._id;
  await store.integrations.create({
    accountId,
    name: "Server",
    host: "smtp.example",
    port: 587,
    tls: "starttls",
    auth: () => ({ user: SEALED, password: NO_SECRET, method: null }),
    dkim: () => ({
      ...{ domain: "sender.example", selector: "ph", publicKey: SEALED, enabled: true },
      privateKey: { ...NO_SECRET, ciphertext: SEALED },
    }),
    senders: ["shop@sender.example"],
  });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

function urlOf(user: string, password: string): string {
  return systemUrl.replace(/\/\/[^@]*@/, `//${user}:${password}@`)
    .replace("authSource=local", "authSource=admin");
}

const COLLECTIONS = [
  ...["accounts", "tokens", "counters", "templates", "versions", "integrations", "sends"],
  ...[
    "messages",
    "mailers",
    "integration_health",
    "integration_events",
    "ledger",
    OPEN_INTEGRATIONS,
  ],
];

const TRIES: Readonly<Record<DatabaseAction, (db: Db, name: string) => Promise<unknown>>> = {
  find: (db, name) => db.collection(name).findOne({ _id: "x" as never }),
  insert: (db, name) => db.collection(name).insertOne({ _id: `x${Math.random()}` as never }),
  update: (db, name) => db.collection(name).updateOne({ _id: "x" as never }, { $set: { a: 1 } }),
  remove: (db, name) => db.collection(name).deleteOne({ _id: "x" as never }),
};

const ROUND_ABOUT: readonly [string, (db: Db, client: MongoClient) => Promise<unknown>][] = [
  ["list the users", (db) => db.command({ usersInfo: 1 })],
  ["make a user", (db) => db.command({ createUser: "evil", pwd: "x", roles: ["root"] })],
  [
    "give itself a role",
    (_db, client) => client.db("admin").command({ grantRolesToUser: "api", roles: ["root"] }),
  ],
  ["list the databases' users", (_db, client) => client.db("admin").command({ usersInfo: 1 })],
  ["drop a collection", (db) => db.collection("sends").drop()],
  ["drop the database", (db) => db.dropDatabase()],
  ["make a collection", (db) => db.createCollection("mine")],
  [
    "make a view of the passwords",
    (db) => db.createCollection("mine", { viewOn: "integrations", pipeline: [] }),
  ],
  [
    "change the view",
    (db) => db.command({ collMod: OPEN_INTEGRATIONS, viewOn: "integrations", pipeline: [] }),
  ],
  ["join the passwords", (db) =>
    db.collection("sends").aggregate([
      { $lookup: { from: "tokens", pipeline: [], as: "all" } },
      { $lookup: { from: "accounts", pipeline: [], as: "all" } },
    ]).toArray()],
  [
    "unite with the accounts",
    (db) => db.collection("sends").aggregate([{ $unionWith: "accounts" }]).toArray(),
  ],
  [
    "write by aggregation",
    (db) => db.collection("sends").aggregate([{ $out: "accounts" }]).toArray(),
  ],
  [
    "read another database",
    (_db, client) => client.db("admin").collection("system.users").findOne(),
  ],
  ["read the oplog", (_db, client) => client.db("local").collection("oplog.rs").findOne()],
  ["follow all changes", (db) => db.aggregate([{ $changeStream: {} }]).next()],
  [
    "see others' operations",
    (_db, client) => client.db("admin").aggregate([{ $currentOp: { allUsers: true } }]).toArray(),
  ],
  ["stop the server", (_db, client) => client.db("admin").command({ shutdown: 1 })],
  ["read its command line", (_db, client) => client.db("admin").command({ getCmdLineOpts: 1 })],
  ["make an index", (db) => db.collection("sends").createIndex({ a: 1 })],
];

/** Repeated here so that an addition to the list is noticed. */
const MAY: readonly [DatabaseAction, string, readonly DatabaseUser[]][] = [
  ["find", "ledger", [...DATABASE_USERS]],
  ["update", "ledger", []],
  ["find", "integrations", ["mailer", "dashboard"]],
  ["update", "integrations", ["mailer", "dashboard"]],
  ["insert", "integrations", ["dashboard"]],
  ["find", OPEN_INTEGRATIONS, ["api", "tracker"]],
  ["update", OPEN_INTEGRATIONS, []],
  ["find", "tokens", ["api", "dashboard"]],
  ["insert", "tokens", ["dashboard"]],
  ["find", "accounts", ["api", "mailer", "tracker", "dashboard"]],
  ["insert", "accounts", ["dashboard"]],
  ["update", "accounts", ["dashboard"]],
  ["remove", "accounts", []],
  ["find", "counters", ["dashboard"]],
  ["find", "users", ["dashboard"]],
  ["find", "sessions", ["dashboard"]],
  ["insert", "audit", ["api", "dashboard"]],
  ["update", "audit", []],
  ["remove", "audit", []],
  ["find", "templates", ["api", "renderer", "tracker", "dashboard"]],
  ["update", "templates", ["dashboard"]],
  ["insert", "versions", ["dashboard"]],
  ["update", "versions", []],
  ["find", "statistics", ["api", "tracker", "dashboard"]],
  ["insert", "statistics", ["tracker"]],
  ["find", "integration_results", ["api", "tracker", "dashboard"]],
  ["insert", "integration_results", ["tracker"]],
  ["find", "usage", ["api", "tracker"]],
  ["insert", "usage", ["api"]],
  ["remove", "usage", ["tracker"]],
  ["find", "sends", ["api", "renderer", "tracker", "dashboard"]],
  ["insert", "sends", ["api", "dashboard"]],
  ["remove", "sends", ["tracker"]],
  ["find", "messages", ["api", "mailer", "tracker", "webhooks", "dashboard"]],
  ["update", "messages", ["api", "mailer", "tracker", "dashboard"]],
  ["remove", "messages", ["tracker"]],
  ["find", "suppressions", ["api", "mailer", "dashboard"]],
  ["insert", "suppressions", ["api", "mailer", "dashboard"]],
  ["update", "suppressions", ["api", "dashboard"]],
  ["remove", "suppressions", ["api", "dashboard"]],
  ["remove", "mailers", ["mailer"]],
  ["find", "integration_events", ["tracker", "dashboard"]],
  ["insert", "integration_events", ["mailer", "dashboard"]],
  ["update", "integration_events", []],
  ["remove", "integration_events", []],
  ["remove", "integration_health", ["mailer", "dashboard"]],
  ["find", "smtp_tokens", ["mailer"]],
  ["update", "smtp_tokens", ["mailer"]],
  ["find", "events", ["api", "tracker", "webhooks", "dashboard"]],
  ["insert", "events", ["tracker", "webhooks"]],
  ["update", "events", []],
  ["remove", "events", ["tracker"]],
  ["find", "webhooks", ["webhooks", "dashboard"]],
  ["insert", "webhooks", ["dashboard"]],
  ["update", "webhook_deliveries", ["webhooks", "dashboard"]],
];

test("DATABASE_RIGHTS grants each collection to the services that use it, and to no other", () => {
  for (const [action, collection, expected] of MAY) {
    const found = DATABASE_USERS.filter((user) =>
      DATABASE_RIGHTS[user][collection]?.includes(action)
    );
    assert.deepEqual(found, expected, `${action} ${collection}`);
  }
});

for (const user of DATABASE_USERS) {
  test(`applyUsers() grants "${user}" what its rights name, and refuses the rest`, async () => {
    await using client = await new MongoClient(urlOf(user, PASSWORDS[user])).connect();
    const db = client.db("posthaste");
    const rights = DATABASE_RIGHTS[user];
    for (const name of COLLECTIONS) {
      for (const [action, attempt] of Object.entries(TRIES) as [DatabaseAction, never][]) {
        const expected = rights[name]?.includes(action) ?? false;
        assert.equal(
          await isAllowed(attempt as typeof TRIES.find, db, name),
          expected,
          `${action} ${name}`,
        );
      }
    }
    const through: string[] = [];
    for (const [what, attempt] of ROUND_ABOUT) {
      if (await isAllowed((db) => attempt(db, client), db, "")) through.push(what);
    }
    // These work with accounts. The api also reads tokens, of which it has only the hashes.
    const own = user === "dashboard" || user === "api"
      ? ["join the passwords", "unite with the accounts"]
      : user === "tracker"
      ? ["unite with the accounts"]
      : [];
    assert.deepEqual(through, own);
  });
}

/** Returns whether the database does it. Only a missing right counts as a refusal. */
async function isAllowed(
  attempt: (db: Db, name: string) => Promise<unknown>,
  db: Db,
  name: string,
): Promise<boolean> {
  try {
    await attempt(db, name);
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    return ![13, 8000].includes(Number(error.code));
  }
}

test("applyUsers() admits no client without a login, or with a wrong one", async () => {
  const nobody = systemUrl.replace(/\/\/[^@]*@/, "//").replace("&authSource=local", "");
  await using client = await new MongoClient(nobody).connect();
  assert.equal(await isAllowed(TRIES.find, client.db("posthaste"), "sends"), false);
  await assert.rejects(openStore({ url: urlOf("api", "wrong") }), /Authentication failed/);
});

test("openStore() reads no sealed password without logins, and the mailer does", async () => {
  for (const user of ["api", "tracker"] as const satisfies DatabaseUser[]) {
    await using some = await openStore({ url: urlOf(user, PASSWORDS[user]), withoutLogins: true });
    const found = await some.integrations.find(accountId, 1);
    assert.equal(found?.host, "smtp.example");
    assert.equal(JSON.stringify(found).includes(SEALED), false);
    await using client = await new MongoClient(urlOf(user, PASSWORDS[user])).connect();
    const seen = await client.db("posthaste").collection(OPEN_INTEGRATIONS).find({ accountId })
      .toArray();
    assert.equal(seen.length, 1);
    assert.equal(JSON.stringify(seen).includes(SEALED), false);
  }
  await using mailer = await openStore({ url: urlOf("mailer", PASSWORDS.mailer) });
  assert.equal(JSON.stringify(await mailer.integrations.find(accountId, 1)).includes(SEALED), true);
});

test("openStore() refuses to start without the view of the integrations", async () => {
  await assert.rejects(
    openStore({
      url: urlOf("operator", "o1").replace("/?", "/empty?"),
      withoutLogins: true,
    }),
    /the view "integrations_open" is missing; run: posthaste migrate/,
  );
});

test("the dashboard's rights suffice for all that people do, also in transactions", async () => {
  await using dashboard = await openStore({ url: urlOf("dashboard", PASSWORDS.dashboard) });
  const now = new Date();
  const jane = { email: "jane@shop.example", name: "Jane", passwordHash: null };
  const first = await dashboard.people.setUp({ accountName: "The Shop", user: jane });
  assert.equal(first?.account._id, accountId);
  const userId = first?.user._id ?? "";
  const second = await dashboard.people.createOwnedAccount({ name: "Second", userId });
  assert.equal(await dashboard.people.changeRole(accountId, userId, "viewer"), "last_owner");
  const invitation = {
    ...{ _id: "hash", accountId, email: "joe@shop.example", role: "owner" as const },
    ...{ invitedBy: userId, createdAt: now, expiresAt: new Date(now.getTime() + 60_000) },
  };
  await dashboard.invitations.create(invitation);
  const newUser = { ...jane, email: "joe@shop.example" };
  const joined = await dashboard.people.acceptInvitation(invitation, { newUser });
  assert.equal(joined?.member.role, "owner");
  assert.equal(await dashboard.people.removeMember(accountId, userId), "done");
  await dashboard.people.update(userId, { name: "Jane Doe" });
  await dashboard.accounts.update(second._id, { retention: { contentDays: 0 } });
  const session = {
    ...{ _id: "s", userId, accountId, csrfToken: "c", userAgent: "", createdAt: now },
    ...{ lastSeenAt: now, expiresAt: invitation.expiresAt },
  };
  await dashboard.sessions.create(session);
  assert.equal(await dashboard.sessions.removeOf(userId, "s"), true);
  const bundled = { kind: "email", alias: "bundled", name: "Bundled" } as const;
  const file = {
    name: "pushed",
    sha256: "a".repeat(64),
    size: 1,
    filename: "a",
    contentType: "b/c",
  };
  const [made] = await dashboard.templates.apply(accountId, [{ ...bundled, template: null }], now, {
    assets: [{ asset: file, previous: null }],
  });
  assert.equal(made?.alias, "bundled");
  const email = "ann@example.net";
  const at = { at: now, reason: "manual" } as const;
  await store.suppressions.add(accountId, [{ email, ...at }], { max: 9 });
  await store.sends.accept(
    testSend({ accountId, request: { ...testSend().request, to: [{ email }] } }),
  );
  const count = { now, audit: "count" } as const;
  const { messages } = await dashboard.retention.forgetRecipient(accountId, email, count);
  assert.equal(messages, 1);
  assert.deepEqual(await store.suppressions.list(accountId, { limit: 1, now }), []);
});
