import { createHash } from "node:crypto";

/** The mailers that are there, in one order for all of them, and which of them this is. */
export interface Peers {
  count: number;
  position: number;
}

/**
 * Divides what an integration allows among the mailers: each gets the same, and what is left over goes
 * to some of them, others for each integration. All shares together are exactly the total.
 *
 * @param key Names the integration.
 */
export function shareOf(total: number, peers: Peers, key: string): number {
  const { count, position } = peers;
  const rest = total % count;
  const first = createHash("sha256").update(key).digest().readUInt32BE(0) % count;
  const turn = (position - first + count) % count;
  return Math.floor(total / count) + (turn < rest ? 1 : 0);
}
