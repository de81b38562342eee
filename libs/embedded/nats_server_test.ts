import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { statfs } from "node:fs/promises";
import { converse, request } from "./_nats_conversation.ts";
import { temporaryDir } from "./_temporary_dir.ts";
import { freePort } from "./free_port.ts";
import { isRunning } from "./is_running.ts";
import { openNatsServer } from "./nats_server.ts";

async function isGone(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 200 && !condition(); i++) await sleep(25);
  return condition();
}

test("openNatsServer() keeps a stream on its port through a crash and a new start", async () => {
  await using dir = await temporaryDir();
  await using server = await openNatsServer({ env: process.env, dataDir: dir.path });
  const create = JSON.stringify({ name: "KEPT", subjects: ["kept"], storage: "file" });
  await converse(server.port, request("$JS.API.STREAM.CREATE.KEPT", create), '"did_create":true');
  await converse(server.port, request("kept", "hello"), '"seq":1');
  const { pid, port } = server;

  await server.kill();
  await server.restart();

  assert.equal(server.port, port);
  assert.notEqual(server.pid, pid);
  const info = await converse(server.port, request("$JS.API.STREAM.INFO.KEPT", ""), '"messages":');
  assert.match(info, /"messages":1/);
});

test("openNatsServer() reports that its port is taken", async () => {
  await using dir = await temporaryDir();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  try {
    await assert.rejects(openNatsServer({ env: process.env, dataDir: dir.path, port }), {
      message: `Cannot start nats-server on port "${port}": another program uses it; ` +
        `stop that program or choose another port`,
    });
  } finally {
    other.close();
  }
});

test("restart() waits while another program checks the port", async () => {
  await using dir = await temporaryDir();
  await using server = await openNatsServer({ env: process.env, dataDir: dir.path });
  await server.kill();
  const other = createServer().listen(server.port, "127.0.0.1");
  await once(other, "listening");

  const restarting = server.restart();
  // The log of the first try is kept when the second begins.
  const log = join(dir.path, "nats.log");
  const hasFailed = () =>
    existsSync(`${log}.1`) && /address already in use/.test(readFileSync(`${log}.1`, "utf8"));
  assert.ok(await isGone(hasFailed), "a start has failed");
  other.close();
  await restarting;
  await converse(server.port, request("$JS.API.INFO", ""), '"streams":0');
});

test("openNatsServer() reports an unexpected end, and no other", async () => {
  await using dir = await temporaryDir();
  const ends: unknown[] = [];
  const onUnexpectedExit = (exit: unknown) => ends.push(exit);
  const options = { env: process.env, dataDir: dir.path, onUnexpectedExit };
  await using server = await openNatsServer(options);
  await server.kill();
  assert.deepEqual(ends, []);
  await server.restart();
  process.kill(server.pid, "SIGKILL");
  await isGone(() => ends.length > 0);
  assert.deepEqual(ends, [{ code: null, signal: "SIGKILL" }]);
});

test("openNatsServer() ends its server and temporary data when its process is killed", async () => {
  await using dir = await temporaryDir();
  const fixture = join(import.meta.dirname, "_orphan_fixture.ts");
  const parent = spawn(process.execPath, [fixture, dir.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await Promise.race([once(parent.stdout, "data"), once(parent, "exit")]);
  assert.equal(parent.exitCode, null, "the program of the fixture has ended");
  const pid = Number(String(line));
  assert.ok(isRunning(pid));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  assert.ok(await isGone(() => !isRunning(pid)), "the server still runs");
  assert.ok(await isGone(() => !existsSync(dir.path)), "the data is still there");
});

/** A server's report. */
interface Varz {
  ping_interval: number;
  ping_max: number;
  jetstream: { config: { sync_interval: number; max_storage: number; max_memory: number } };
}

async function varz(port: number): Promise<Varz> {
  return await (await fetch(`http://127.0.0.1:${port}/varz`)).json() as Varz;
}

test("openNatsServer() writes to the disk each second, and pings its clients every 10 s", async () => {
  await using dir = await temporaryDir();
  const monitorPort = await freePort();
  const options = { env: process.env, dataDir: dir.path, monitorPort };
  await using _server = await openNatsServer({ ...options, maxFileStoreBytes: 1024 ** 3 });
  const { ping_interval, ping_max, jetstream } = await varz(monitorPort);
  assert.deepEqual([ping_interval / 1e9, ping_max], [10, 2]);
  assert.equal(jetstream.config.sync_interval / 1e9, 1);
  assert.deepEqual(
    [jetstream.config.max_storage, jetstream.config.max_memory],
    [1024 ** 3, 256 * 1024 ** 2],
  );
});

test("openNatsServer() stores no more than 70 % of what the disk has free", async () => {
  await using dir = await temporaryDir();
  const monitorPort = await freePort();
  const options = { env: process.env, dataDir: dir.path, monitorPort };
  await using _server = await openNatsServer({ ...options, maxFileStoreBytes: 2 ** 50 });
  const { max_storage } = (await varz(monitorPort)).jetstream.config;
  const { bavail, bsize } = await statfs(dir.path);
  const share = max_storage / (bavail * bsize);
  // Other programs write to the disk meanwhile.
  assert.ok(share > 0.65 && share < 0.75, `${share} of the free space`);
});
