import { type GuardedResolver, openGuardedResolver, readNetworks } from "@posthaste/egress";

/** Lets tests reach this machine, and it alone; `names` mean addresses of it. */
export function openTestResolver(names: Readonly<Record<string, string[]>> = {}): GuardedResolver {
  return openGuardedResolver({
    ports: [25, 465, 587, 2525],
    allowed: readNetworks(["127.0.0.1"]),
    lookup: (host) => Promise.resolve({ localhost: ["127.0.0.1"], ...names }[host] ?? []),
  });
}
