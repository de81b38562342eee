import ipaddr from "ipaddr.js";

/** NAT64's well-known prefix (RFC 6052), by which an IPv6-only network reaches IPv4 hosts. */
const NAT64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** Azure's own host, which reveals secrets to machines, although its address is in a public range. */
const INNER = ["168.63.129.16"];

/** All IPv6 addresses that are assigned to hosts of the internet (RFC 4291, 2.4). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns whether an IP address belongs to a host of the public internet. Private, loopback, link-local,
 * shared (carrier NAT), multicast, documentation and other special addresses (IANA's special purpose
 * registries, RFC 6890) do not. The same is true of an address from which a cloud serves its own machines. An
 * IPv4 address inside of an IPv6 one counts as itself if it is mapped (RFC 4291) or NAT64's; tunnels (6to4,
 * Teredo) are never public. A text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv4) return !INNER.includes(parsed.toString());
  return parsed.match(GLOBAL_UNICAST);
}

/** Parses an address. Returns the IPv4 address inside of one that only carries it. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address();
  return parsed.match(NAT64) ? new ipaddr.IPv4(parsed.toByteArray().slice(12)) : parsed;
}
