#!/usr/bin/env node
import { join } from "node:path";
import process from "node:process";
import { runCommandLine } from "./command_line.ts";
import { Output } from "./output.ts";
import { Settings } from "./settings.ts";

const { env, stdin, stdout, stderr } = process;
// Passwords are in it.
process.report.excludeEnv = true;

const argv = process.argv.slice(2);
const output = new Output({ stdout, stderr, json: argv.includes("--json") });

// npm runs a script in the repository, wherever the operator stands.
const cwd = env["npm_lifecycle_event"] === "posthaste" ? env["INIT_CWD"] : undefined;

process.exitCode = await runCommandLine(argv, {
  output,
  settings: new Settings({
    env,
    stackFile: env["POSTHASTE_STACK_FILE"] ?? join(import.meta.dirname, "../.posthaste/stack.json"),
    note: (text) => output.note(text),
  }),
  stdin,
  stdout,
  stderr,
  cwd: cwd ?? process.cwd(),
});
