import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@posthaste/parts";

/** How a program of this repository is started. */
export interface ServiceOptions {
  name: string;
  /** Absolute path of its `main.ts`. */
  main: string;
  env: Record<string, string | undefined>;
  /** Every line that it prints. */
  onLine?: ((line: string) => void) | undefined;
  /** Called when it ends and nobody here asked it to. */
  onUnexpectedExit?: ((reason: string) => void) | undefined;
  /** Longest wait until it is ready, in milliseconds. @default {60_000} */
  startTimeoutMs?: number | undefined;
}

/** A running service. Disposing stops it in order. */
export interface ServiceProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** Where `/livez` and `/readyz` are. */
  readonly healthUrl: string;
  /** Sends a signal; `SIGKILL` ends it at once, `SIGSTOP` makes it hang. */
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal's name, when it has ended. */
  readonly exited: Promise<number | string>;
}

const LAST_LINES = 8;

/**
 * Starts a service as a process of its own and waits until it is ready. It is outside the terminal's
 * process group, so that Ctrl-C reaches it in order; a pipe ends it should this process die.
 *
 * @throws {Error} If it ends or is not ready in time, with the last lines that it printed.
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [options.main], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
    env: {
      ...options.env,
      HEALTH_PORT: String(port),
      HEALTH_HOST: "127.0.0.1",
      POSTHASTE_PARENT_PIPE: "3",
    },
  });
  const last = followLines(child, options.onLine);
  let stopping = false;
  const exited = once(child, "exit").then(([code, signal]): number | string => code ?? signal);
  const running: ServiceProcess = {
    name: options.name,
    pid: child.pid ?? 0,
    healthUrl: `http://127.0.0.1:${port}`,
    exited,
    signal: (name) => {
      if (name === "SIGTERM" || name === "SIGKILL") stopping = true;
      child.kill(name);
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      child.kill("SIGTERM");
      await exited;
    },
  };
  await untilReady(running, { last, timeoutMs: options.startTimeoutMs ?? 60_000 });
  exited.then((reason) => {
    if (!stopping) options.onUnexpectedExit?.(`ended with ${reason}: ${last.at(-1) ?? ""}`);
  });
  return running;
}

function followLines(child: ChildProcess, onLine: ServiceOptions["onLine"]): string[] {
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      onLine?.(line);
    });
  }
  return last;
}

async function untilReady(
  service: ServiceProcess,
  { last, timeoutMs }: { last: string[]; timeoutMs: number },
): Promise<void> {
  let ended: number | string | undefined;
  service.exited.then((reason) => ended = reason);
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    if (ended !== undefined) {
      throw new Error(`Cannot start "${service.name}": it ended with ${ended}\n${last.join("\n")}`);
    }
    const ready = await fetch(`${service.healthUrl}/readyz`).then(({ ok }) => ok, () => false);
    if (ready) return;
    await delay(50);
  }
  service.signal("SIGKILL");
  throw new Error(
    `Cannot start "${service.name}": not ready within ${timeoutMs} ms\n${last.join("\n")}`,
  );
}
