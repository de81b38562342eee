/** Returns the name of the database in a connection string: its path, or else `posthaste`. */
export function databaseOf(url: string): string {
  return /^[^/]+\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? "posthaste";
}
