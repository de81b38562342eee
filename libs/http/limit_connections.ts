import { BlockList, isIPv6, type Server, type Socket } from "node:net";
import { openSemaphore } from "@posthaste/limits";
import { networkOf } from "./network_of.ts";

/** The most connections of a server. */
export interface ConnectionLimits {
  /** For all clients; connections beyond this are closed immediately. */
  max: number;
  /** For one client: an IPv4 address, or the first 64 bits of an IPv6 one. */
  maxPerClient: number;
  /** Addresses and networks (CIDR) of proxies, which represent many clients. @default {[]} */
  proxies?: readonly string[] | undefined;
}

/** Closes connections beyond the limits when they are opened. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { max, maxPerClient, proxies = [] } = limits;
  const trusted = blockListOf(proxies);
  const open = openSemaphore({ max: Infinity, maxPerOwner: maxPerClient });
  server.maxConnections = max;
  server.prependListener("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4")) return;
    const permit = open.tryAcquire(networkOf(address));
    if (permit === undefined) socket.destroy();
    else socket.once("close", () => permit[Symbol.dispose]());
  });
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
