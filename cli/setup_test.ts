import assert from "node:assert/strict";
import { mkdtempDisposable, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { freePort, openMongod } from "@posthaste/embedded";
import { byDay } from "@posthaste/kit";
import { openStore } from "@posthaste/storage";
import { runCli, runCliProcess } from "./_run_cli.ts";

test("`posthaste setup` generates secrets, and creates users with the rights of their service", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-setup-"));
  const secrets = join(folder.path, "secrets");
  const port = await freePort();
  const drawn = await runCli(["setup", "secrets", secrets, "--mongodb", `127.0.0.1:${port}`]);
  assert.equal(drawn.code, 0, drawn.stderr);
  assert.equal((await stat(secrets)).mode & 0o777, 0o700);
  const read = async (name: string) => (await readFile(join(secrets, name), "utf8")).trim();
  await using _mongod = await openMongod({
    env: process.env,
    dataDir: join(folder.path, "mongodb"),
    port,
    key: await read("mongodb_key"),
  });
  for (const runIt of [byDay(runCli, runCliProcess), runCli]) {
    const { code, stdout, stderr } = await runIt(["setup", "database", secrets]);
    assert.equal(code, 0, `${runIt.name}: ${stderr}`);
    assert.match(stdout, /^The replica set "rs0" and its users (exist|were created)/);
  }
  await using operator = await openStore({ url: await read("operator_mongodb_url"), appName: "t" });
  const { _id: accountId } = await operator.accounts.create({ name: "shop" });
  await using api = await openStore({ url: await read("api_mongodb_url"), appName: "t" });
  assert.equal(await api.tokens.find("ph_nothing"), null);
  await assert.rejects(api.accounts.create({ name: "another" }), /not authorized/);
  await using dashboard = await openStore({
    url: await read("dashboard_mongodb_url"),
    appName: "t",
  });
  assert.equal((await dashboard.accounts.find("shop"))?._id, accountId);
});

test("`posthaste setup database` reports what to check when the server has another key", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-setup-"));
  const secrets = join(folder.path, "secrets");
  const port = await freePort();
  await runCli(["setup", "secrets", secrets, "--mongodb", `127.0.0.1:${port}`]);
  await using _mongod = await openMongod({
    env: process.env,
    dataDir: join(folder.path, "mongodb"),
    port,
    key: "b3RoZXI=",
  });
  const { code, stderr } = await runCli(["setup", "database", secrets]);
  assert.equal(code, 1);
  assert.match(stderr, /Cannot set up the database: Authentication failed/);
  assert.match(stderr, /check that mongod runs with --replSet and the key of this folder/);
});
