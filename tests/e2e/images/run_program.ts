import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";

/** How a program is run. */
export interface ProgramOptions {
  cwd?: string | undefined;
  /** Added to the environment. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Written to its standard input. */
  stdin?: string | undefined;
  /** File for its output, instead of the answer. */
  logFile?: string | undefined;
}

/**
 * Runs a program and returns its standard output.
 *
 * @throws {Error} If it does not end with 0; the message contains the end of its output.
 */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  options: ProgramOptions = {},
): Promise<string> {
  const { cwd, env, stdin = "", logFile } = options;
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  child.stdin.on("error", () => undefined).end(stdin);
  if (logFile !== undefined) {
    const log = createWriteStream(logFile);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once("close", () => log.end());
  }
  const [[code], out, err] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code === 0) return out;
  const last = `${out}${err}`.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n  ");
  throw new Error(`Cannot run "${program} ${args.slice(0, 6).join(" ")}": code ${code}\n  ${last}`);
}

const SHOWN_LINES = 15;
