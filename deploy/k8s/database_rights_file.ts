/**
 * Writes each service's rights in the database (`components/mongodb/rights.json`) out of
 * `libs/runtime/permissions.ts`.
 *
 * @module
 */
import { DATABASE_RIGHTS, DATABASE_USERS, KNOWS_SIZES } from "@posthaste/storage";
import { writeGenerated } from "./write_generated.ts";

/** Returns the rights in the form of the file. The collection "" stands for the database as a whole. */
export function databaseRightsFile(): string {
  const rights = Object.fromEntries(
    DATABASE_USERS.map((user) => [
      user,
      { ...DATABASE_RIGHTS[user], ...(KNOWS_SIZES.includes(user) ? { "": ["dbStats"] } : {}) },
    ]),
  );
  return `${JSON.stringify({ database: "posthaste", rights }, null, 2)}\n`;
}

/** Writes the rights; with `--check` it only reports whether the file is stale. */
export async function writeDatabaseRights(): Promise<void> {
  const file = new URL("components/mongodb/rights.json", import.meta.url);
  await writeGenerated(file, databaseRightsFile());
}
