#!/usr/bin/env node
import { join } from "node:path";
import process from "node:process";
import { runCommandLine } from "./command_line.ts";
import { EXIT } from "./exit_code.ts";

const { env, stdin, stdout, stderr } = process;
// Passwords are in it.
process.report.excludeEnv = true;

stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  // What reads it, such as `head`, has ended.
  process.exit(EXIT.failed);
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  cwd: process.cwd(),
  root: join(import.meta.dirname, ".."),
});
