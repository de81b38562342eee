import ipaddr from "ipaddr.js";
import { parseAddress } from "./public_address.ts";

/** Networks that customers may reach by the operator's permission although they are not public. */
export interface Networks {
  has(address: string): boolean;
}

/**
 * Reads networks in CIDR notation, such as `10.1.0.0/16` or `::1/128`. A single address is a network of its
 * own.
 *
 * @throws {RangeError} If a text is no network.
 */
export function readNetworks(texts: readonly string[]): Networks {
  const networks = texts.map(readNetwork);
  return {
    has(text) {
      const address = parseAddress(text);
      return address !== undefined &&
        networks.some(([network, bits]) =>
          network.kind() === address.kind() && address.match(network as typeof address, bits)
        );
    },
  };
}

/** Returns whether a text is a network that {@linkcode readNetworks} reads. */
export function isNetwork(text: string): boolean {
  try {
    return readNetwork(text) !== undefined;
  } catch {
    return false;
  }
}

function readNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address = "", bits, rest] = text.split("/");
  const parsed = parseAddress(address);
  const most = parsed?.kind() === "ipv4" ? 32 : 128;
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  if (parsed !== undefined && rest === undefined && length <= most) return [parsed, length];
  throw new RangeError(`Cannot read the network "${text}": expected one such as "10.1.0.0/16"`);
}
