import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { BASE } from "./base_image.ts";
import type { Engine } from "./engine.ts";
import { runProgram } from "./run_program.ts";

/** How `deploy/compose.yaml` is started. */
export interface ComposedOptions {
  engine: Engine;
  /** Folder of the repository. */
  root: string;
  /** Folder for a copy of the Compose file, its secrets, and what else is needed. */
  folder: string;
  /** For the variables of the Compose file. */
  env: Readonly<Record<string, string>>;
}

/** The system of `deploy/compose.yaml`, running. Disposing takes it down, with its volumes. */
export interface Composed extends AsyncDisposable {
  /** Runs a command of Docker Compose on it. */
  compose(args: readonly string[], options?: { stdin?: string; logFile?: string }): Promise<string>;
}

/**
 * Starts all of `deploy/compose.yaml`, with the inbox, as its README says: first the secrets, then all the
 * rest. Under Podman, Docker Compose talks to Podman's own socket.
 *
 * @throws {Error} If a part does not start.
 */
export async function openComposed(options: ComposedOptions): Promise<Composed> {
  const { engine, root, folder } = options;
  const deploy = join(folder, "deploy");
  await rm(deploy, { recursive: true, force: true });
  await mkdir(deploy, { recursive: true });
  for (const part of ["compose.yaml", "compose", "docker"]) {
    await cp(join(root, "deploy", part), join(deploy, part), { recursive: true });
  }
  await rm(join(deploy, "compose/secrets"), { recursive: true, force: true });
  await mkdir(join(deploy, "compose/secrets"), { mode: 0o700 });
  await engine.run([
    ...["run", "--rm", "--user", "0:0", "--network", "none"],
    ...["--volume", `${join(deploy, "compose/secrets")}:/secrets`],
    ...["posthaste-cli", "setup", "secrets", "/secrets"],
  ]);
  const isPodman = engine.name === "podman";
  if (isPodman) await fitPodman(deploy);
  await using opened = new AsyncDisposableStack();
  const command = await composeCommand(engine, folder);
  const env = { ...engine.env, ...options.env };
  if (isPodman) {
    const socket = opened.use(await openSocket(engine, folder));
    Object.assign(env, { DOCKER_HOST: socket.url });
  }
  const compose: Composed["compose"] = (args, more = {}) =>
    runProgram([
      ...command,
      "--project-directory",
      deploy,
      "--file",
      join(deploy, "compose.yaml"),
      ...args,
    ], {
      env,
      ...more,
    });
  opened.defer(async () => {
    const all = ["--profile", "inbox", "--profile", "cli"];
    await compose([...all, "down", "--volumes", "--timeout", "40", "--remove-orphans"]);
  });
  if (isPodman) opened.use(askHealth(engine));
  await compose(["--profile", "inbox", "up", "--detach", "--no-build"]);
  const parts = opened.move();
  return { compose, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/**
 * Removes from the copy what Podman's socket handles differently from Docker: a seccomp profile, which all
 * containers are given instead, and limits of a user, which would bring others with them.
 */
async function fitPodman(deploy: string): Promise<void> {
  const file = join(deploy, "compose.yaml");
  const text = await readFile(file, "utf8");
  const fitted = text.replace(/, "seccomp=[^"]+"/, "").replaceAll(/^ +ulimits: .+\n/gm, "");
  await writeFile(file, fitted);
}

/** Returns the command of Docker Compose; if there is none, from its Debian package. */
async function composeCommand(
  engine: Engine,
  folder: string,
): Promise<readonly [string, ...string[]]> {
  const isPlugin = engine.name === "docker" &&
    await runProgram(["docker", "compose", "version"]).then(() => true, () => false);
  if (isPlugin) return ["docker", "compose"];
  const target = join(folder, "docker_compose");
  const program = join(target, "usr/libexec/docker/cli-plugins/docker-compose");
  if (existsSync(program)) return [program];
  await mkdir(target, { recursive: true });
  await engine.run([
    ...["run", "--rm", "--network", "host", "--volume", `${target}:/out`, BASE, "sh", "-c"],
    "apt-get update && cd /tmp && apt-get download docker-compose && dpkg-deb --extract *.deb /out",
  ]);
  await chmod(program, 0o755);
  return [program];
}

/** Opens Podman's socket with Docker's API. */
async function openSocket(engine: Engine, folder: string) {
  const file = join(folder, "engine.sock");
  await rm(file, { force: true });
  const url = `unix://${file}`;
  const settings = join(folder, "containers_proof.conf");
  const profile = join(folder, "deploy/docker/seccomp_chromium.json");
  const kept = await readFile(engine.env["CONTAINERS_CONF"] ?? "", "utf8");
  await writeFile(
    settings,
    kept.replace("[containers]", `[containers]\nseccomp_profile = "${profile}"`),
  );
  const service: ChildProcess = spawn("podman", ["system", "service", "--time=0", url], {
    env: { ...process.env, ...engine.env, CONTAINERS_CONF: settings },
    stdio: "ignore",
  });
  for (let tries = 0; !existsSync(file); tries++) {
    if (tries === TRIES) throw new Error("Cannot start Podman's service: it made no socket");
    await delay(100);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(service, "exit");
      service.kill("SIGTERM");
      await ended;
    },
  };
}

const TRIES = 100;

/** Without systemd Podman runs no health check by itself. */
function askHealth(engine: Engine): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  async function ask(): Promise<void> {
    while (!signal.aborted) {
      const ids = await engine.run(["ps", "--quiet"]).catch(() => "");
      for (const id of ids.split("\n").filter((line) => line !== "")) {
        if (signal.aborted) return;
        await engine.run(["healthcheck", "run", id]).catch(() => undefined);
      }
      await delay(3000, undefined, { signal }).catch(() => undefined);
    }
  }
  const asking = ask();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await asking;
    },
  };
}
