import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { keptUsers, loginAs } from "./users.ts";

let folder: string;
before(async () => folder = await mkdtemp(join(tmpdir(), "posthaste-users-")));
after(() => rm(folder, { recursive: true, force: true }));

test("keptUsers() generates a password for each user once, readable by its owner only", async () => {
  const file = join(folder, "users.json");
  const users = await keptUsers(file);
  const passwords = [
    ...Object.values(users.broker),
    ...Object.values(users.database),
    users.apiSecret,
    users.replicaSetKey,
  ];
  assert.equal(new Set(passwords).size, passwords.length);
  assert.deepEqual(Object.keys(users.database).includes("pdf"), false);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await chmod(file, 0o644);
  assert.deepEqual(await keptUsers(file), users);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test("keptUsers() generates all again when some are missing", async () => {
  const file = join(folder, "partial.json");
  const { broker, ...rest } = await keptUsers(file);
  const { pdf, ...others } = broker;
  await writeFile(file, JSON.stringify({ ...rest, broker: others }));
  const users = await keptUsers(file);
  assert.notEqual(users.broker.pdf, pdf);
  assert.deepEqual(JSON.parse(await readFile(file, "utf8")), users);
});

test("loginAs() puts a user into an address, or in the place of another", () => {
  assert.equal(loginAs("nats://127.0.0.1:1", "pdf", "x"), "nats://pdf:x@127.0.0.1:1");
  assert.equal(loginAs("mongodb://a:b@h:1/?c=d", "api", "x"), "mongodb://api:x@h:1/?c=d");
});
