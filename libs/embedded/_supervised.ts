import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, renameSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** How a process ended: one of the two is null. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Options of a supervised process besides its command line. */
export interface SupervisedOptions {
  /** Receives stdout and stderr. The log of the previous start is kept beside it as `<logFile>.1`. */
  logFile: string;
  /** A folder that is removed if this process dies without closing anything. */
  removeWhenOrphaned?: string | undefined;
}

/** A server process that lives no longer than the process that started it. */
export interface Supervised {
  readonly pid: number;
  /** Resolves when the process has ended, for any reason. */
  readonly exited: Promise<Exit>;
  /** Returns how it ended, or undefined while it runs. */
  exit(): Exit | undefined;
  /** Sends a signal; does nothing if the process has ended. */
  signal(name: NodeJS.Signals): void;
  /** Asks the process to end (SIGTERM), and after `graceMs` kills it (SIGKILL). */
  stop(graceMs?: number): Promise<void>;
  /** Returns the output of the process since its start. */
  log(): Promise<string>;
}

// The shell becomes the server (exec), so pid, signals and exit code are the server's own. Before that it
// starts a watcher, which reads from a pipe that only the parent holds: when the parent dies in any way, the
// kernel closes the pipe, and the watcher ends the server.
const WATCHED = `
exec 3<&0 </dev/null
(
  trap '' INT TERM HUP
  while read -r _ <&3; do :; done
  kill -TERM $$
  n=0
  while kill -0 $$ && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
  [ $n -lt 100 ] || kill -KILL $$
  [ -n "$2" ] || exit
  n=0
  while kill -0 "$1" && [ $n -lt 20 ]; do sleep 0.1; n=$((n+1)); done
  [ $n -ge 20 ] || rm -rf -- "$2"
) >/dev/null 2>&1 &
shift 2
exec "$@" 3<&-
`;

/**
 * Starts a server in a process group of its own, so that a Ctrl-C in the terminal only reaches this process,
 * which decides when the server stops. If this process ends without stopping it, even by SIGKILL, the server
 * is ended. The server does not keep this process alive.
 *
 * @throws {Error} If the shell `sh` is missing.
 */
export async function startSupervised(
  command: readonly string[],
  options: SupervisedOptions,
): Promise<Supervised> {
  if (existsSync(options.logFile)) renameSync(options.logFile, `${options.logFile}.1`);
  const log = openSync(options.logFile, "a");
  const child = spawn(
    "sh",
    ["-c", WATCHED, "sh", String(process.pid), options.removeWhenOrphaned ?? "", ...command],
    { detached: true, stdio: ["pipe", log, log] },
  );
  closeSync(log);
  await once(child, "spawn");
  child.unref();
  // A pipe breaks when the server ends, which "exit" already reports.
  child.stdin?.on("error", () => {});
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return supervised(child, options.logFile);
}

function supervised(child: ChildProcess, logFile: string): Supervised {
  const pid = child.pid as number;
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve(exit = { code, signal }));
  });
  const signal = (name: NodeJS.Signals) => {
    if (exit === undefined) child.kill(name);
  };
  return {
    pid,
    exited,
    exit: () => exit,
    signal,
    log: () => readFile(logFile, "utf8"),
    async stop(graceMs = 10_000) {
      signal("SIGTERM");
      signal("SIGCONT");
      child.ref();
      const timer = setTimeout(() => signal("SIGKILL"), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Options of {@link untilReady}. */
export interface ReadinessOptions {
  timeoutMs: number;
  /** Resolves to undefined while the server is not ready; may also throw then. */
  probe: () => Promise<unknown>;
}

/**
 * Waits until the probe answers.
 *
 * @returns False if the process ended or the time ran out before that.
 */
export async function untilReady(
  server: Supervised,
  { timeoutMs, probe }: ReadinessOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (server.exit() === undefined && performance.now() < deadline) {
    try {
      if (await probe() !== undefined) return true;
    } catch {
      // Not yet.
    }
    await sleep(25);
  }
  return false;
}
