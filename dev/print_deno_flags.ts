/**
 * Prints the arguments that Deno is to start a service with, one a line, for the settings in the
 * environment: `deno task flags mailer`. The program comes after them: `services/mailer/main.ts`.
 *
 * @module
 */
import { join } from "node:path";
import process from "node:process";
import { denoFlags } from "./deno_flags.ts";
import { DENO_PERMISSIONS, type OwnPart } from "./deno_permissions.ts";

const [name = ""] = process.argv.slice(2);
const names = Object.keys(DENO_PERMISSIONS);
if (names.includes(name)) {
  const root = join(import.meta.dirname, "..");
  const flags = await denoFlags(name as OwnPart, { env: process.env, root });
  process.stdout.write(`${flags.join("\n")}\n`);
} else {
  process.stderr.write(`Cannot print flags: give one of ${names.join(", ")}\n`);
  process.exitCode = 2;
}
