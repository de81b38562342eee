/** Name of the database in a connection string: its path, else `posthaste`. */
export function databaseOf(url: string): string {
  return /^[^/]+\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? "posthaste";
}
