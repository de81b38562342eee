import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@posthaste/embedded";
import { parseLogLine } from "./log_line.ts";

/** How a program of this repository is started. */
export interface ServiceOptions {
  name: string;
  /** Absolute path of its `main.ts`. */
  main: string;
  env: Record<string, string | undefined>;
  /** Given to Node before the program. */
  nodeFlags?: readonly string[] | undefined;
  /** Returns another program than Node, and its arguments before `main.ts`, for the whole environment. */
  command?: ((env: ServiceOptions["env"]) => Promise<readonly [string, ...string[]]>) | undefined;
  /** Every line that it prints. */
  onLine?: ((line: string) => void) | undefined;
  /** Called when it ends unexpectedly. */
  onUnexpectedExit?: ((reason: string) => void) | undefined;
  /** Longest wait until it is ready, in milliseconds. @default {60_000} */
  startTimeoutMs?: number | undefined;
  /** Ends the wait and stops the service. */
  signal?: AbortSignal | undefined;
}

/** A running service. Disposing stops it in order. */
export interface ServiceProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** Where `/livez` and `/readyz` are. */
  readonly healthUrl: string;
  /** Sends a signal; `SIGKILL` ends it immediately, `SIGSTOP` makes it hang. */
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal's name, when it has ended. */
  readonly exited: Promise<number | string>;
}

const LAST_LINES = 8;
const GIVE_UP_MS = 2000;

/**
 * Starts a service as a process of its own and waits until it is ready. It is outside the terminal's process
 * group, so that Ctrl-C reaches it in order; a pipe ends it if this process dies.
 *
 * @throws {Error} If it ends or is not ready in time, with the last lines that it printed.
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const port = await freePort();
  const env = {
    ...options.env,
    HEALTH_PORT: String(port),
    HEALTH_HOST: "127.0.0.1",
    POSTHASTE_PARENT_PIPE: "3",
  };
  const [program, ...args] = await options.command?.(env) ??
    [process.execPath, ...options.nodeFlags ?? []];
  const child = spawn(program, [...args, options.main], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
    env,
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
  const { signal, startTimeoutMs: timeoutMs = 60_000 } = options;
  await untilReady(running, { last, timeoutMs, signal });
  exited.then((reason) => {
    if (!stopping) options.onUnexpectedExit?.(`it ended with ${endOf(reason)}${lastWords(last)}`);
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
  { last, timeoutMs, signal }: {
    last: string[];
    timeoutMs: number;
    signal: AbortSignal | undefined;
  },
): Promise<void> {
  let ended: number | string | undefined;
  service.exited.then((reason) => ended = reason);
  const cannot = `Cannot start "${service.name}": `;
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    if (ended !== undefined) {
      throw new Error(`${cannot}it ended with ${endOf(ended)}${lastWords(last)}`);
    }
    if (signal?.aborted) {
      await giveUp(service);
      signal.throwIfAborted();
    }
    const ready = await fetch(`${service.healthUrl}/readyz`).then(({ ok }) => ok, () => false);
    if (ready) return;
    await delay(50);
  }
  service.signal("SIGKILL");
  throw new Error(`${cannot}it was not ready within ${timeoutMs / 1000} s${lastWords(last)}`);
}

/** Stops a service that is starting: it has no work in flight that justifies a long wait. */
async function giveUp(service: ServiceProcess): Promise<void> {
  service.signal("SIGTERM");
  const timer = setTimeout(() => service.signal("SIGKILL"), GIVE_UP_MS);
  await service.exited;
  clearTimeout(timer);
}

function endOf(reason: number | string): string {
  return typeof reason === "number" ? `code ${reason}` : reason;
}

/** Returns the reason of a service's last error, otherwise its last lines. */
function lastWords(lines: readonly string[]): string {
  for (const line of lines.toReversed()) {
    const record = parseLogLine(line);
    if (record?.level !== "error") continue;
    const { message: reason } = (record.fields["error"] ?? {}) as { message?: unknown };
    return `: ${record.message}${typeof reason === "string" ? `: ${reason}` : ""}`;
  }
  return lines.length === 0 ? "" : `\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
