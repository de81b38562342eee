import type { BaseLocationHook } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";

/** `/a/<account>/…`: the address of every page names its account, so that each tab keeps its own. */
const OF_ACCOUNT = /^\/a\/([^/]+)(\/.*)?$/;

/** Returns the account in an address, if there is one. */
export function accountInPath(path: string = location.pathname): string | null {
  const found = OF_ACCOUNT.exec(path)?.[1];
  return found === undefined ? null : decodeURIComponent(found);
}

/** Returns a path with the account in front. */
export function pathInAccount(accountId: string, path: string): string {
  return `/a/${encodeURIComponent(accountId)}${path}`;
}

/** Returns a path without the account in front. */
export function pathWithoutAccount(path: string): string {
  const found = OF_ACCOUNT.exec(path);
  return found === null ? path : found[2] ?? "/";
}

/** Wraps the location for an account's pages: their paths do not name the account. */
export function locationOf(accountId: string): BaseLocationHook {
  return () => {
    const [path, navigate] = useBrowserLocation();
    return [
      pathWithoutAccount(path),
      (to: string, options) => navigate(pathInAccount(accountId, to), options),
    ];
  };
}
