/** Reasons of the system, with what to do about them. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, or choose another folder with DATA_DIR",
  EDQUOT: "the disk quota is used up; free some space, or choose another folder with DATA_DIR",
  EROFS: "the disk is read-only; choose another folder with DATA_DIR",
  EACCES: "no permission; make the folder writable for this user, or choose another with DATA_DIR",
  EPERM: "no permission; make the folder writable for this user, or choose another with DATA_DIR",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
  ERR_MODULE_NOT_FOUND: "a package is missing; run npm install",
};

/** Returns why the start failed and what to do about it, for the person at the terminal. */
export function startError(error: unknown): string {
  if (!(error instanceof Error)) return `Cannot start: ${error}`;
  const { code, path } = error as { code?: unknown; path?: unknown };
  const remedy = typeof code === "string" ? REMEDIES[code] : undefined;
  if (remedy !== undefined) {
    return `Cannot start${typeof path === "string" ? ` with "${path}"` : ""}: ${remedy}`;
  }
  return /^Cannot /.test(error.message) ? error.message : `Cannot start: ${error.message}`;
}
