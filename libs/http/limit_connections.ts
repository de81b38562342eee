import { BlockList, isIPv6, type Server, type Socket } from "node:net";
import { networkOf } from "./network_of.ts";

/** How many connections a server holds. */
export interface ConnectionLimits {
  /** Of all clients; what comes beyond is closed at once. */
  max: number;
  /** Of one client: an IPv4 address, or the first 64 bits of an IPv6 one. */
  maxPerClient: number;
  /** Addresses and networks (CIDR) of proxies, which stand for many clients. @default {[]} */
  proxies?: readonly string[] | undefined;
}

/** Closes connections beyond the limits as they come. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { max, maxPerClient, proxies = [] } = limits;
  const trusted = blockListOf(proxies);
  const open = new Map<string, number>();
  server.maxConnections = max;
  server.prependListener("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4")) return;
    const client = networkOf(address);
    const count = (open.get(client) ?? 0) + 1;
    open.set(client, count);
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
    if (count > maxPerClient) socket.destroy();
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
