import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type CommandContext, reasonOf, resolvePath } from "./command_context.ts";
import { CommandError, usageError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";

/**
 * Creates the services' users in the database, or changes their rights and passwords.
 *
 * @throws {CommandError} If the file is invalid, or the database refuses.
 */
export async function applyDatabaseUsers(context: CommandContext, file: string): Promise<void> {
  const { output, settings, cwd } = context;
  const { applyUsers, DATABASE_USERS } = await import("@posthaste/storage");
  const password = z.string().min(16);
  const schema = z.record(z.enum(["operator", ...DATABASE_USERS]), password);
  const { operator, ...services } = schema.parse(await readJson(resolvePath(cwd, file)));
  try {
    await applyUsers(settings.mongodbUrl, { operator, services });
  } catch (cause) {
    throw new CommandError(`Cannot apply the users: ${reasonOf(cause)}`, {
      exitCode: EXIT.failed,
      remedy: "check that MONGODB_URL names a user with the right to create users",
      cause,
    });
  }
  const users = ["operator", ...DATABASE_USERS];
  output.result({ users }, () => `Applied: ${users.join(", ")}`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    // The parser quotes its input.
    const reason = error instanceof SyntaxError ? "it is not JSON" : reasonOf(error);
    throw usageError(`Cannot read the users: ${reason}`);
  }
}
