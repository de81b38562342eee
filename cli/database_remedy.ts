import type { Settings } from "./settings.ts";

/** The database's code of a refused login. */
const AUTHENTICATION_FAILED = 18;

/** Returns what to do about a database that cannot be opened; `undefined` if the message says it. */
export function databaseRemedy(
  error: unknown,
  settings: Pick<Settings, "remedy">,
): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && cause.name === "LedgerVersionError") return undefined;
  if (cause instanceof Error && "code" in cause && cause.code === AUTHENTICATION_FAILED) {
    return settings.remedy("check the user and the password in MONGODB_URL");
  }
  return settings.remedy("check that the database runs and MONGODB_URL is correct");
}
