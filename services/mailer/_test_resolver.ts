import { type GuardedResolver, openGuardedResolver, readNetworks } from "@posthaste/egress";

/** Opens a resolver with which tests reach this machine only; `names` maps host names to its addresses. */
export function openTestResolver(names: Readonly<Record<string, string[]>> = {}): GuardedResolver {
  return openGuardedResolver({
    ports: [25, 465, 587, 2525],
    allowed: readNetworks(["127.0.0.1"]),
    lookup: (host) => Promise.resolve({ localhost: ["127.0.0.1"], ...names }[host] ?? []),
  });
}
