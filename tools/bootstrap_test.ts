import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@posthaste/embedded";

interface Project extends AsyncDisposable {
  root: string;
  script: string;
  env: NodeJS.ProcessEnv;
}

/** A project with a lock file and a stand-in for npm, which runs the given script. */
async function openProject(npmScript: string): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), "posthaste-bootstrap-"));
  const script = join(root, "tools", "bootstrap.mjs");
  await mkdir(join(root, "tools"));
  await cp(join(import.meta.dirname, "bootstrap.mjs"), script);
  await writeFile(join(root, "package-lock.json"), "{}");
  const npm = join(root, "npm-cli.js");
  await writeFile(npm, npmScript);
  return {
    root,
    script,
    env: { ...process.env, npm_execpath: npm },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const INSTALLS = `
const fs = require("node:fs");
fs.mkdirSync("node_modules/node/bin", { recursive: true });
fs.mkdirSync("node_modules/.bin", { recursive: true });
fs.writeFileSync("node_modules/node/bin/node", "#!/bin/sh\\necho the node of the project\\n");
fs.chmodSync("node_modules/node/bin/node", 0o755);
fs.copyFileSync("node_modules/node/bin/node", "node_modules/.bin/node");
fs.appendFileSync("calls", process.argv[2] + "\\n");
`;

function bootstrap({ script, env }: Project, ...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { env, encoding: "utf8" });
}

test("bootstrap installs once, and again when the lock file has changed", async () => {
  await using project = await openProject(INSTALLS);
  const first = bootstrap(project, "node");
  assert.equal(first.stdout, "the node of the project\n");
  assert.match(first.stderr, /installing the packages/);
  const second = bootstrap(project, "node");
  assert.equal(second.stderr, "");
  await writeFile(join(project.root, "package-lock.json"), "{ }");
  assert.match(bootstrap(project, "node").stderr, /updating the packages/);
  assert.equal(await readFile(join(project.root, "calls"), "utf8"), "ci\ninstall\n");
});

test("bootstrap reports that npm has left out a program for this system", async () => {
  await using project = await openProject(INSTALLS);
  const lock = (os: string) =>
    JSON.stringify({ packages: { "node_modules/server": { optional: true, os: [os] } } });
  await writeFile(join(project.root, "package-lock.json"), lock(process.platform));
  for (let times = 0; times < 2; times++) {
    const { status, stderr } = bootstrap(project, "true");
    assert.equal(status, 1);
    assert.match(stderr, /npm left out "node_modules\/server"; check that the npm registry/);
  }
  await writeFile(join(project.root, "package-lock.json"), lock("another"));
  assert.equal(bootstrap(project, "true").status, 0);
});

test("bootstrap answers with the exit code of the command", async () => {
  await using project = await openProject(INSTALLS);
  assert.equal(bootstrap(project, "sh", "-c", "exit 7").status, 7);
  assert.equal(bootstrap(project, "--quiet", "true").status, 0);
});

test("bootstrap prints a remedy when the registry cannot be reached", async () => {
  await using project = await openProject(
    `console.error("npm error code ENOTFOUND"); process.exit(1)`,
  );
  const { status, stderr, stdout } = bootstrap(project, "echo", "never");
  assert.equal(status, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /the npm registry cannot be reached; check the connection/);
});

test("bootstrap shows npm's reason, without its page of usage", async () => {
  await using project = await openProject(`
    console.error("npm error code E404\\nnpm error\\nnpm error 404 not found: left-pad@9");
    console.error("npm error\\nnpm error A page of usage\\n".repeat(9));
    process.exit(1);`);
  const { stderr } = bootstrap(project, "true");
  assert.match(
    stderr,
    /npm ended with code 1:\n {2}npm error code E404\n {2}npm error 404 not found/,
  );
  assert.equal(stderr.trim().split("\n").length, 10);
});

test("bootstrap names the remedy when the lock file is out of step", async () => {
  await using project = await openProject(`
    console.error("npm error code EUSAGE\\nnpm error \\\`npm ci\\\` can only install packages " +
      "when your package.json and package-lock.json are in sync.");
    process.exit(1);`);
  assert.match(bootstrap(project, "true").stderr, /out of step; run "npm install"/);
});

test("bootstrap prints a remedy when there is no npm", async () => {
  await using project = await openProject(INSTALLS);
  const env = { PATH: "/nowhere" };
  const { status, stderr } = bootstrap({ ...project, env }, "true");
  assert.equal(status, 1);
  assert.match(stderr, /npm was not found; install Node.js 18 or newer/);
});

// Counts its signals, prints the number after waiting for more, and ends with that number.
const COUNTER = `
let count = 0;
process.on("SIGINT", () => { if (++count === 1) setTimeout(() => process.exit(40 + count), 300) });
setInterval(() => {}, 60_000);
console.log(process.pid);
`;

test("bootstrap passes a Ctrl-C to the command once, although npm repeats it", async () => {
  await using project = await openProject(INSTALLS);
  const child = spawn(process.execPath, [project.script, process.execPath, "-e", COUNTER], {
    env: project.env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const exited = once(child, "exit");
  // A terminal signals the whole group, then npm signals its child again.
  process.kill(-(child.pid as number), "SIGINT");
  await sleep(50);
  child.kill("SIGINT");
  const [code] = await exited;
  assert.equal(code, 41);
});

test("bootstrap ends the command when it is killed", async () => {
  await using project = await openProject(INSTALLS);
  const child = spawn(process.execPath, [project.script, process.execPath, "-e", COUNTER], {
    env: project.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(child.stdout, "data");
  child.kill("SIGKILL");
  await untilEnded(Number(String(line)));
});

test("bootstrap ends the command when npm is killed", async () => {
  await using project = await openNpmProject();
  const npm = spawn("npm", ["start", "--silent"], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(npm.stdout, "data");
  // It passes nothing on, and the reader of the output still runs.
  npm.kill("SIGKILL");
  await untilEnded(Number(String(line)));
});

test("bootstrap passes a SIGTERM for npm to the command", async () => {
  await using project = await openNpmProject();
  const npm = spawn("npm", ["start", "--silent"], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(npm.stdout, "data");
  npm.kill("SIGTERM");
  await untilEnded(Number(String(line)));
});

test("bootstrap ends the command when the program that reads its output is killed", async () => {
  await using project = await openProject(INSTALLS);
  const { npm_lifecycle_event: _, ...env } = project.env;
  const args = [project.script, process.execPath, "-e", COUNTER];
  const reads = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ${JSON.stringify(args)});
    child.stdout.on("data", (line) => console.log(String(line).trim()));`;
  const program = spawn(process.execPath, ["-e", reads], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(program.stdout, "data");
  program.kill("SIGKILL");
  await untilEnded(Number(String(line)));
});

test("bootstrap continues under nohup when the terminal is closed", async () => {
  await using project = await openNpmProject();
  const file = join(project.root, "nohup.out");
  await using output = await open(file, "w");
  const npm = spawn("nohup", ["npm", "start", "--silent"], {
    cwd: project.root,
    detached: true,
    stdio: ["ignore", output.fd, output.fd],
  });
  const pid = await numberIn(file);
  // A terminal signals the whole group; npm, like every Node, does not keep nohup's promise.
  process.kill(-(npm.pid as number), "SIGHUP");
  await once(npm, "exit");
  await sleep(SEEN_BY_THEN_MS);
  assert.ok(isRunning(pid), "the command has ended");
  process.kill(pid, "SIGKILL");
});

test("bootstrap continues without npm when the shell that started it ends", async () => {
  await using project = await openProject(INSTALLS);
  const { npm_lifecycle_event: _, ...env } = project.env;
  bootstrap(project, "true");
  const file = join(project.root, "out");
  const inBackground = `"$@" </dev/null >"${file}" 2>&1 &`;
  const command = [process.execPath, project.script, process.execPath, "-e", COUNTER];
  spawnSync("sh", ["-c", inBackground, "sh", ...command], { env });
  const pid = await numberIn(file);
  await sleep(SEEN_BY_THEN_MS);
  assert.ok(isRunning(pid), "the command has ended");
  process.kill(pid, "SIGKILL");
});

test("every script of npm is replaced by bootstrap, which so has npm as its parent", async () => {
  for (const [name, script] of Object.entries(await readScripts())) {
    assert.match(script, /^exec node tools\/bootstrap\.mjs /, name);
  }
});

/** Within this time bootstrap has looked twice. */
const SEEN_BY_THEN_MS = 1200;

async function readScripts(): Promise<Record<string, string>> {
  const file = join(import.meta.dirname, "..", "package.json");
  return JSON.parse(await readFile(file, "utf8")).scripts;
}

/** Opens an installed project with our `npm start` and another command. */
async function openNpmProject(): Promise<Project> {
  const project = await openProject(INSTALLS);
  bootstrap(project, "true");
  const node = join(project.root, "node_modules", ".bin", "node");
  await rm(node);
  await symlink(process.execPath, node);
  await writeFile(join(project.root, "counter.js"), COUNTER);
  const { start = "" } = await readScripts();
  const scripts = { start: start.replace("dev/main.ts", "counter.js") };
  await writeFile(join(project.root, "package.json"), JSON.stringify({ scripts }));
  return project;
}

async function numberIn(file: string): Promise<number> {
  for (let i = 0; i < 1200; i++) {
    const found = Number(await readFile(file, "utf8").catch(() => ""));
    if (found > 0) return found;
    await sleep(25);
  }
  return assert.fail(`nothing was written to "${file}"`);
}

async function untilEnded(pid: number): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    if (!isRunning(pid)) return;
    await sleep(25);
  }
  process.kill(pid, "SIGKILL");
  assert.fail("the command still runs");
}
