import type { BaseLocationHook } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";

/** `/a/<account>/…`: every page of an account says whose it is, so that each tab keeps to its own. */
const OF_ACCOUNT = /^\/a\/([^/]+)(\/.*)?$/;

/** Returns the account that the address names, if it names one. */
export function accountInPath(path: string = location.pathname): string | null {
  const found = OF_ACCOUNT.exec(path)?.[1];
  return found === undefined ? null : decodeURIComponent(found);
}

/** Returns a path with the account before it. */
export function pathInAccount(accountId: string, path: string): string {
  return `/a/${encodeURIComponent(accountId)}${path}`;
}

/** Returns a path without the account before it. */
export function pathWithoutAccount(path: string): string {
  const found = OF_ACCOUNT.exec(path);
  return found === null ? path : found[2] ?? "/";
}

/** Makes the location of an account's pages: within them no path names the account. */
export function locationOf(accountId: string): BaseLocationHook {
  return () => {
    const [path, navigate] = useBrowserLocation();
    return [
      pathWithoutAccount(path),
      (to: string, options) => navigate(pathInAccount(accountId, to), options),
    ];
  };
}
