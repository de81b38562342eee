import { hash } from "node:crypto";

/** All mailers in one common order, and the position of this one. */
export interface Peers {
  count: number;
  position: number;
}

/**
 * Divides the connections of an integration among the mailers in equal shares. The remainder goes to some of them,
 * to different ones for each integration. The shares add up to the total.
 *
 * @param key Names the integration.
 */
export function shareOf(total: number, peers: Peers, key: string): number {
  const rest = total % peers.count;
  return Math.floor(total / peers.count) + (turnOf(peers, key) < rest ? 1 : 0);
}

/**
 * Divides the rate of an integration, in mails per minute, among mailers that have a connection. Each of them may begin
 * with one mail, so a low rate goes to few: the share of each is one mail a second or more, or all of the rate. The others
 * have 0.
 *
 * @param key Names the integration.
 */
export function rateShareOf(
  { maxPerMinute, maxConnections }: { maxPerMinute: number; maxConnections: number },
  peers: Peers,
  key: string,
): number {
  const most = Math.max(1, Math.floor(maxPerMinute / 60));
  const holders = Math.min(peers.count, maxConnections, most);
  return turnOf(peers, key) < holders ? maxPerMinute / holders : 0;
}

/** Returns the position of a mailer among those that get a part of what does not suffice for all. */
function turnOf({ count, position }: Peers, key: string): number {
  const first = hash("sha256", key, "buffer").readUInt32BE(0) % count;
  return (position - first + count) % count;
}
