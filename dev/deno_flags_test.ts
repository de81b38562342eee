import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "@posthaste/embedded";
import { denoFlags } from "./deno_flags.ts";
import { OWN_PARTS, type OwnPart } from "./deno_permissions.ts";
import { denoProgram } from "./deno_runtime.ts";

const ROOT = join(import.meta.dirname, "..");

let folder: string;
let servers: Server[];
let env: Record<string, string>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthaste-deno-"));
  for (const name of ["cache", "tmp", "inbox"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "users.json"), "{}");
  await writeFile(join(folder, "intruder.mjs"), INTRUDER);
  servers = Array.from({ length: 3 }, () => createServer((socket) => socket.destroy()));
  const [broker, database, other] = await Promise.all(servers.map(async (server) => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  }));
  env = {
    NATS_URL: `nats://user:word@127.0.0.1:${broker}`,
    MONGODB_URL: `mongodb://user:word@127.0.0.1:${database}/posthaste?replicaSet=rs0`,
    ...{ HOST: "127.0.0.1", PORT: String(await freePort()) },
    ...{ SMTP_PORT: String(await freePort()), WEB_PORT: String(await freePort()) },
    CHROMIUM_PATH: process.execPath,
    ...{ CACHE_DIR: join(folder, "cache"), TMPDIR: join(folder, "tmp") },
    DATA_DIR: join(folder, "inbox"),
    OTHER_PORT: String(other),
    ...{ BROKER: String(broker), DATABASE: String(database) },
  };
});
after(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs in place of a service, and reports what it was permitted to do. */
const INTRUDER = `
import dns from "node:dns";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import process from "node:process";
const [, , folder, root, broker, database, other, own] = process.argv;
const dial = (host, port) => new Promise((done, fail) => {
  const socket = net.connect(Number(port), host, () => done(socket.destroy()));
  // No server answers, and no guard prevented the request.
  socket.on("error", (error) => error.code === "ECONNREFUSED" ? done() : fail(error));
});
const listen = (hostname, port) => Deno.listen({ hostname, port: Number(port) }).close();
const run = (program) => new Deno.Command(program).outputSync();
const tries = {
  "dial the broker": () => dial("127.0.0.1", broker),
  "dial the database": () => dial("127.0.0.1", database),
  "dial another port": () => dial("127.0.0.1", other),
  "dial an SMTP server anywhere": () => dial("127.9.9.9", 25),
  "dial a web server anywhere": () => dial("127.9.9.9", 80),
  "fetch": () => fetch("http://127.0.0.1:" + other),
  "look up a name": () => dns.promises.lookup("localhost"),
  "listen on its port": () => listen("127.0.0.1", own),
  "listen on another port": () => listen("127.0.0.1", 0),
  "import from the network": () => import("http://127.0.0.1:" + other + "/x.js"),
  "read /etc/passwd": () => fs.readFileSync("/etc/passwd"),
  "list the root": () => fs.readdirSync("/"),
  "read the passwords": () => fs.readFileSync(folder + "/users.json"),
  "read the environment of another process": () =>
    fs.readFileSync("/proc/" + process.ppid + "/environ"),
  "read the repository's history": () => fs.readdirSync(root + "/.git"),
  "write into the libraries": () => fs.writeFileSync(root + "/libs/evil.ts", ""),
  "write into node_modules": () => fs.writeFileSync(root + "/node_modules/evil.js", ""),
  "write beside the data": () => fs.writeFileSync(folder + "/evil", ""),
  "link to the passwords": () => fs.symlinkSync(folder + "/users.json", folder + "/tmp/evil"),
  "read a variable that is not its own": () => {
    if (process.env.BROKER === undefined) throw new Deno.errors.NotCapable();
  },
  "start a program": () => run("true"),
  "start a shell": () => run("/bin/sh"),
  "start Deno": () => run(Deno.execPath()),
  "end another process": () => process.kill(process.ppid, "SIGWINCH"),
  "load an addon": () => process.dlopen({ exports: {} }, root + "/none.node"),
  "ask for more": async () => {
    const { state } = await Deno.permissions.request({ name: "read" });
    if (state !== "granted") throw new Deno.errors.NotCapable();
  },
  "ask who runs it": () => os.userInfo(),
};
const through = [];
for (const [what, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    through.push(what);
  } catch (error) {
    // Hidden files read as missing.
    const refused = /ENOENT.*'.proc/.test(error?.message) || error instanceof Deno.errors.NotCapable || error?.code === "EPERM" ||
      /Requires .* access|NotCapable|requires unscoped|not allowed/.test(error?.message);
    if (!refused) through.push(what + ": " + error);
  }
}
console.log(JSON.stringify(through));
process.exit(0);
`;

async function whatGetsThrough(name: OwnPart, flags: readonly string[]): Promise<string[]> {
  const { OTHER_PORT = "", BROKER = "", DATABASE = "", PORT = "", SMTP_PORT = "" } = env;
  const own = name === "inbox" ? SMTP_PORT : PORT;
  const args = [join(folder, "intruder.mjs"), folder, ROOT, BROKER, DATABASE, OTHER_PORT, own];
  const { stdout } = await promisify(execFile)(denoProgram(ROOT), [...flags, ...args], {
    env: { ...process.env, ...env },
    timeout: 20_000,
  });
  return JSON.parse(stdout);
}

/** The intruder's attempts that each service is permitted. */
const NEEDED: Readonly<Record<OwnPart, readonly string[]>> = {
  api: ["dial the broker", "dial the database", "listen on its port"],
  renderer: ["dial the broker", "dial the database"],
  pdf: ["dial the broker", "listen on another port"],
  mailer: ["dial the broker", "dial the database", "dial an SMTP server anywhere"],
  tracker: ["dial the broker", "dial the database"],
  webhooks: ["dial the broker", "dial the database"],
  dashboard: ["dial the broker", "dial the database", "listen on its port"],
  inbox: ["listen on its port"],
};

test("every service of the house has its permissions, and every permission its service", async () => {
  const services = await readdir(join(ROOT, "services"), { withFileTypes: true });
  const names = services.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual([...OWN_PARTS].sort(), [...names, "inbox"].sort());
});

describe("denoFlags()", { concurrency: 2 }, () => {
  for (const name of OWN_PARTS) {
    test(`permits ${name} what it needs and refuses an intruder's other attempts`, async () => {
      const flags = await denoFlags(name, { env, root: ROOT });
      assert.deepEqual(await whatGetsThrough(name, flags), NEEDED[name]);
      assert.deepEqual((await readdir(folder)).filter((file) => file.startsWith("evil")), []);
    });
  }

  test("removes a host with the setting that names it", async () => {
    const { MONGODB_URL: _database, ...without } = env;
    const flags = await denoFlags("tracker", { env: without, root: ROOT });
    assert.deepEqual(await whatGetsThrough("tracker", flags), ["dial the broker"]);
  });
});
