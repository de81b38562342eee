import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { FileRequest } from "./file_request.ts";
import type { FileResult } from "./file_result.ts";

/** A process that runs test files one after another. Disposing ends it. */
export interface WorkerProcess extends AsyncDisposable {
  /** Runs a file. If the process ends meanwhile, or answers too late, that file fails. */
  run(request: FileRequest): Promise<FileResult & { output: string }>;
  /** Whether it can run another file. */
  readonly isAlive: boolean;
}

/** A file that hangs is ended. */
const MAX_FILE_MS = 300_000;
const MAX_OUTPUT_LENGTH = 20_000;
const STOP_MS = 5000;
const SEMI_SPACE_MB = 64;
/** The old space is not collected before it has this size. */
const OLD_SPACE_MB = 512;

/** Starts a process for test files, in the folder of the repository. */
export function startWorker(root: string): WorkerProcess {
  const child = fork(join(import.meta.dirname, "worker.ts"), [], {
    cwd: root,
    execArgv: [
      // A process holds the modules of many files: collecting garbage less often saves a sixth of its CPU.
      `--max-semi-space-size=${SEMI_SPACE_MB}`,
      `--initial-old-space-size=${OLD_SPACE_MB}`,
      `--test-reporter=${join(import.meta.dirname, "collect_result.ts")}`,
      "--test-reporter-destination=stdout",
    ],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_LENGTH);
    });
  }
  const ready = answerOf<string>(child);
  ready.catch(() => {});
  return {
    get isAlive() {
      return child.exitCode === null && child.signalCode === null && child.connected;
    },
    async run(request) {
      output = "";
      const started = performance.now();
      try {
        await ready;
        const answer = answerOf<FileResult>(child);
        child.send(request);
        return { ...await answer, output };
      } catch (error) {
        await stop(child);
        const reason = error instanceof Error ? error.message : String(error);
        return {
          failures: [{ name: request.file, line: 0, reason }],
          ...{ passed: 0, skipped: 0, leftovers: [] },
          durationMs: performance.now() - started,
          output,
        };
      }
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Waits for the next message. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const done = new AbortController();
  const { signal } = done;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as T),
      once(child, "exit", { signal }).then(([code, name]) => {
        throw new Error(`Its process ended with ${name ?? `code ${code}`}`);
      }),
      new Promise<never>((_, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`It did not end within ${MAX_FILE_MS / 1000} s`)),
          MAX_FILE_MS,
        );
        signal.addEventListener("abort", () => clearTimeout(timer));
      }),
    ]);
  } finally {
    done.abort();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exit;
  clearTimeout(timer);
}
