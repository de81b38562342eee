import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { nodeFlags } from "./node_flags.ts";
import { SERVICES } from "./part_name.ts";

let folder: string;
/** A repository that may be damaged if a guard is missing. */
let root: string;
before(async () => {
  folder = await mkdtemp(join(homedir(), ".posthaste-flags-"));
  await mkdir(join(folder, "inbox"));
  for (const name of SERVICES) await mkdir(join(folder, "compiled", name), { recursive: true });
  await writeFile(join(folder, "users.json"), "{}");
  root = join(folder, "root");
  const services = SERVICES.map((name) => `services/${name}/main.ts`);
  for (const file of [...services, "libs/runtime/mod.ts", "node_modules/x.js", ".git/HEAD"]) {
    await mkdir(join(root, file, ".."), { recursive: true });
    await writeFile(join(root, file), "");
  }
});
after(() => rm(folder, { recursive: true, force: true }));

/** Runs in place of a service, and reports what it was permitted to do. */
const INTRUDER = `
  const [folder, root, other] = process.argv.slice(1);
  const fs = require("node:fs");
  const { join } = require("node:path");
  const tries = {
    "read /etc/passwd": () => fs.readFileSync("/etc/passwd"),
    "list the root": () => fs.readdirSync("/"),
    "read the environment of another process": () =>
      fs.readFileSync("/proc/" + process.ppid + "/environ"),
    "read the passwords": () => fs.readFileSync(join(folder, "users.json")),
    "read them by way of its own folder": () =>
      fs.readFileSync(join(root, "libs/..", "/../".repeat(20), folder, "users.json")),
    "read by a file URL": () => fs.readFileSync(new URL("file://" + folder + "/users.json")),
    "read by bytes of a path": () => fs.readFileSync(Buffer.from(join(folder, "users.json"))),
    "read the code of another service": () => fs.readFileSync(join(root, "services", other, "main.ts")),
    "read the repository's history": () => fs.readFileSync(join(root, ".git/HEAD")),
    "read its own code again": () => fs.openSync(join(root, "libs/runtime/mod.ts"), "r+"),
    "write into the libraries": () => fs.writeFileSync(join(root, "libs/runtime/evil.ts"), ""),
    "write into node_modules": () => fs.writeFileSync(join(root, "node_modules/evil.js"), ""),
    "write beside the data": () => fs.writeFileSync(join(folder, "evil"), ""),
    "link to the passwords": () =>
      fs.symlinkSync(join(folder, "users.json"), join(root, "libs/runtime/evil.ts")),
    "move its code": () => fs.renameSync(join(root, "libs/runtime/mod.ts"), join(root, "libs/x.ts")),
    "remove the passwords": () => fs.unlinkSync(join(folder, "users.json")),
    "change modes": () => fs.chmodSync(join(root, "libs/runtime/mod.ts"), 0o777),
    "write another service's compiled code": () =>
      fs.writeFileSync(join(folder, "compiled", other, "evil"), ""),
    "make a folder": () => fs.mkdirSync(join(folder, "evil.d")),
    "start a program": () => {
      const { error } = require("node:child_process").spawnSync("true");
      if (error) throw error;
    },
    "start a thread": () => void new (require("node:worker_threads").Worker)("0", { eval: true }),
    "load an addon": () => process.dlopen({ exports: {} }, join(root, "node_modules/none.node")),
    "open the inspector": () => require("node:inspector").open(0),
    "run WebAssembly with WASI": () => new (require("node:wasi").WASI)({ version: "preview1" }),
    "reach inside of Node": () => process.binding("spawn_sync"),
  };
  const through = [];
  for (const [what, attempt] of Object.entries(tries)) {
    try { attempt(); through.push(what); } catch (error) {
      const refused = ["ERR_ACCESS_DENIED", "ERR_DLOPEN_DISABLED"];
      if (!refused.includes(error.code)) through.push(what + ": " + error.message);
    }
  }
  process.stdout.write(JSON.stringify(through), () => process.exit(0));
`;

async function whatGetsThrough(name: Parameters<typeof nodeFlags>[0]): Promise<string[]> {
  const flags = nodeFlags(name, {
    env: { PATH: "/usr/bin", TMPDIR: join(folder, "tmp") },
    root,
    cacheDir: join(folder, "cache"),
    compiledDir: join(folder, "compiled"),
    inboxDir: join(folder, "inbox"),
  });
  const other = name === "api" ? "mailer" : "api";
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    "-e",
    INTRUDER,
    folder,
    root,
    other,
  ], { env: {} });
  return JSON.parse(stdout);
}

/** The permissions that a service must have for its work. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  renderer: ["start a program", "start a thread"],
  // It measures the browser's processes. A process that may start programs could read this anyway.
  pdf: ["read the environment of another process", "start a program"],
};

for (const name of [...SERVICES, "inbox"] as const) {
  test(`nodeFlags() denies ${name} files, programs and threads that it does not need`, async () => {
    assert.deepEqual(await whatGetsThrough(name), NEEDED[name] ?? []);
    assert.deepEqual((await readdir(folder)).filter((file) => file.startsWith("evil")), []);
  });
}

test("nodeFlags() permits the temporary folder and the browser's to the pdf service alone", () => {
  const options = { env: {}, root: "/r", cacheDir: "/c", compiledDir: "/n", inboxDir: "/i" };
  for (const name of SERVICES) {
    const written = nodeFlags(name, options).filter((flag) => flag.startsWith("--allow-fs-write"));
    const expected = [`/n/${name}`, ...(name === "pdf" ? ["/c", tmpdir()] : [])];
    assert.deepEqual(written, expected.map((path) => `--allow-fs-write=${path}`));
  }
});

test("nodeFlags() permits the pdf service to read Playwright's browsers, on Linux and on macOS", () => {
  const options = { root: "/r", cacheDir: "/c", compiledDir: "/n", inboxDir: "/i" };
  const flags = nodeFlags("pdf", { ...options, env: { HOME: "/home/ada" } });
  for (const cache of [".cache/ms-playwright", "Library/Caches/ms-playwright"]) {
    assert.ok(flags.includes(`--allow-fs-read=/home/ada/${cache}`), cache);
  }
});
