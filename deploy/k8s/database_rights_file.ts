/**
 * Writes what each service may do at the database (`components/mongodb/rights.json`) out of
 * `libs/storage/database_rights.ts`; with `--check` it only tells whether the file is stale.
 *
 * @module
 */
import { DATABASE_RIGHTS } from "@posthaste/storage";
import { writeGenerated } from "./write_generated.ts";

/** The rights as the file has them. */
export function databaseRightsFile(): string {
  return `${JSON.stringify({ database: "posthaste", rights: DATABASE_RIGHTS }, null, 2)}\n`;
}

if (import.meta.main) {
  const file = new URL("components/mongodb/rights.json", import.meta.url);
  await writeGenerated(file, databaseRightsFile());
}
