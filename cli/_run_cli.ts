import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

/** What a command printed, and how it ended. */
export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Arguments of the process as the system shows them to everybody. */
  commandLine: string;
}

/** How a command is run. */
export interface CliOptions {
  env?: Record<string, string> | undefined;
  /** Piped in; the standard input is never a terminal here. */
  stdin?: string | undefined;
  cwd?: string | undefined;
}

/**
 * Runs the command line as a process of its own, with nothing in its environment but `env` and where
 * what Node compiles is kept.
 */
export async function runCli(args: string[], options: CliOptions = {}): Promise<CliRun> {
  const { env = {}, stdin = "", cwd = import.meta.dirname } = options;
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
    cwd,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      POSTHASTE_STACK_FILE: "/nowhere",
      ...env,
    },
  });
  const commandLine = readCommandLine(child.pid);
  child.stdin.on("error", () => undefined).end(stdin);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [code, stdout, stderr] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr, commandLine };
}

function readCommandLine(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
