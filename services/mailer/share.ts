import { hash } from "node:crypto";

/** All mailers in one common order, and the position of this one. */
export interface Peers {
  count: number;
  position: number;
}

/**
 * Divides the limits of an integration among the mailers in equal shares. The remainder goes to some of them,
 * to different ones for each integration. The shares add up to the total.
 *
 * @param key Names the integration.
 */
export function shareOf(total: number, peers: Peers, key: string): number {
  const { count, position } = peers;
  const rest = total % count;
  if (rest === 0) return total / count;
  const first = hash("sha256", key, "buffer").readUInt32BE(0) % count;
  const turn = (position - first + count) % count;
  return Math.floor(total / count) + (turn < rest ? 1 : 0);
}
