import { lookup as systemLookup, resolve4 } from "node:dns/promises";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { EgressError } from "./egress_error.ts";
import type { Networks } from "./networks.ts";
import { isPublicAddress } from "./public_address.ts";
import { type Lookup, type OwnedName, shareLookup } from "./_shared_lookup.ts";

/** Options of {@linkcode openGuardedResolver}. */
export interface GuardedResolverOptions {
  /** TCP ports that may be reached at public addresses. */
  ports: readonly number[];
  /** Networks that may be reached on any port although they are not public. */
  allowed: Networks;
  /** Returns all addresses of a host name. @default the system's resolver */
  lookup?: Lookup;
  /** Longest wait for it, in milliseconds. @default {5000} */
  timeoutMs?: number;
}

/** A host and port from a customer. */
export interface Destination {
  /** A name, or an IP address in any notation that the system accepts. */
  host: string;
  port: number;
  /** The account that named it: a few of its names are looked up at a time. */
  owner: string;
}

/**
 * Returns an IP address to connect to. It is the checked address, so a name that resolves to another address
 * a moment later has no effect. Call it again for each connection.
 *
 * @throws {EgressError} If the host must not or cannot be reached.
 */
export type GuardedResolver = (destination: Destination) => Promise<string>;

/**
 * Returns a resolver for customers' hosts that only returns addresses they may reach. A name with one
 * forbidden address among others is refused completely.
 */
export function openGuardedResolver(options: GuardedResolverOptions): GuardedResolver {
  const { ports, allowed, lookup = lookupAll, timeoutMs = 5000 } = options;
  const shared = shareLookup(lookup, timeoutMs);
  return async ({ host, port, owner }) => {
    const name = host.replace(/^\[(.*)\]$/, "$1");
    const addresses = isIP(name) ? [name] : await lookUp({ host: name, owner }, shared, timeoutMs);
    const isTrusted = addresses.every((address) => allowed.has(address));
    if (!isTrusted) {
      if (!addresses.every((address) => allowed.has(address) || isPublicAddress(address))) {
        const reason = "its address is not public, and the operator has not allowed its network";
        throw forbidden(host, reason);
      }
      if (!ports.includes(port)) {
        throw forbidden(host, `port ${port} is not one of ${ports.join()}`);
      }
    }
    return pick(addresses);
  };
}

function forbidden(host: string, reason: string): EgressError {
  return new EgressError(`Cannot reach "${host}": ${reason}`, { fault: "forbidden" });
}

async function lookUp(
  name: OwnedName,
  lookup: (name: OwnedName) => Promise<string[]>,
  timeoutMs: number,
): Promise<string[]> {
  const { host } = name;
  const given = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: given.signal }).then(() => {
    throw new Error(`no answer within ${timeoutMs} ms`);
  });
  try {
    const addresses = await Promise.race([lookup(name), late]);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code !== "ENOTFOUND" && code !== "ENODATA") {
      const reason = "its name cannot be resolved now";
      throw new EgressError(`Cannot reach "${host}": ${reason}`, { fault: "unavailable", cause });
    }
  } finally {
    given.abort();
    late.catch(() => undefined);
  }
  throw new EgressError(`Cannot reach "${host}": there is no such host`, { fault: "not_found" });
}

async function lookupAll(host: string): Promise<string[]> {
  try {
    return (await systemLookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    // Deno permits system look-ups only of names in its permissions; DNS servers may be asked.
    if ((error as { code?: string }).code !== "EPERM") throw error;
    return await resolve4(host);
  }
}

/** Returns any address of the family that the system prefers. */
function pick(addresses: readonly string[]): string {
  const family = isIP(addresses[0] ?? "");
  const preferred = addresses.filter((address) => isIP(address) === family);
  return preferred[Math.floor(Math.random() * preferred.length)] ?? "";
}
