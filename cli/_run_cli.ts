import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { runCommandLine } from "./command_line.ts";

/** The output of a command, and how it ended. */
export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How a command is run. */
export interface CliOptions {
  env?: Record<string, string> | undefined;
  /** Piped in; the standard input is never a terminal here. */
  stdin?: string | undefined;
  cwd?: string | undefined;
  /** The standard output is a terminal; not for processes. */
  isTerminal?: boolean;
}

const ROOT = join(import.meta.dirname, "..");
/** A folder without a demonstration. */
const DATA_DIR = "/nowhere";

/** Runs the command line in this process, with nothing in its environment but `env`. */
export async function runCli(args: string[], options: CliOptions = {}): Promise<CliRun> {
  const { env = {}, stdin = "", cwd = import.meta.dirname, isTerminal = false } = options;
  // The test runner sets it on a terminal, for the output of tests.
  delete process.env["FORCE_COLOR"];
  const [stdout, stderr] = [new Collector(), new Collector()];
  if (isTerminal) Object.assign(stdout, { isTTY: true, columns: 80 });
  const code = await runCommandLine(args, {
    env: { DATA_DIR, ...env },
    stdin: Readable.from([Buffer.from(stdin)]) as NodeJS.ReadStream,
    stdout: stdout as Writable as NodeJS.WriteStream,
    stderr: stderr as Writable as NodeJS.WriteStream,
    cwd,
    root: ROOT,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** The result of the command line as a process. */
export interface CliProcessRun extends CliRun {
  /** Arguments of the process as the system shows them to all users. */
  commandLine: string;
}

/**
 * Runs the command line as a process of its own, with nothing in its environment but `env` and the folder of
 * Node's compile cache. It costs half a second of CPU: for tests of exit codes, standard streams, the
 * environment, and the output of libraries.
 */
export async function runCliProcess(
  args: string[],
  options: CliOptions = {},
): Promise<CliProcessRun> {
  const { env = {}, stdin = "", cwd = import.meta.dirname } = options;
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
    cwd,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      DATA_DIR,
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
