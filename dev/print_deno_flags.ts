/**
 * Prints Deno's arguments for a service, one a line, for the settings in the environment: `deno task flags
 * mailer`. The program comes after them: `services/mailer/main.ts`.
 *
 * @module
 */
import { join } from "node:path";
import process from "node:process";
import { denoFlags } from "./deno_flags.ts";
import { OWN_PARTS, type OwnPart } from "./deno_permissions.ts";

const [name = ""] = process.argv.slice(2);
if (OWN_PARTS.some((part) => part === name)) {
  const root = join(import.meta.dirname, "..");
  const flags = await denoFlags(name as OwnPart, { env: process.env, root });
  process.stdout.write(`${flags.join("\n")}\n`);
} else {
  process.stderr.write(`Cannot print flags: name one of ${OWN_PARTS.join(", ")}\n`);
  process.exitCode = 2;
}
