import { type ReactNode, useEffect, useMemo } from "react";
import { Router } from "wouter";
import { navigate, useBrowserLocation } from "wouter/use-browser-location";
import { accountInPath, locationOf, pathInAccount, pathWithoutAccount } from "./account_path.ts";
import { useSession } from "./session.tsx";

/** Shows the pages of the account below an address that names it. */
export function AccountRouter({ children }: { children: ReactNode }) {
  const { account: { id } } = useSession();
  const [path] = useBrowserLocation();
  const hook = useMemo(() => locationOf(id), [id]);
  const isNamed = accountInPath(path) === id;
  useEffect(() => {
    if (isNamed) return;
    navigate(pathInAccount(id, pathWithoutAccount(path)) + location.search, { replace: true });
  }, [id, isNamed, path]);
  return (
    <Router hook={hook} hrefs={(href) => pathInAccount(id, href)}>
      {children}
    </Router>
  );
}
