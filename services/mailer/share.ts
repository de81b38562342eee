import { hash } from "node:crypto";

/** All mailers in one common order, and the position of this one. */
export interface Peers {
  count: number;
  position: number;
}

/** What one mailer has of an integration's limits. */
export interface Share {
  connections: number;
  /** Mails per minute; infinite without a limit. */
  perMinute: number;
}

/**
 * Divides the limits of an integration among the mailers, in equal shares. If a rate or the connections do not suffice for
 * all, some of them have nothing, others for each integration: who has a share has a connection, and one mail a second or
 * all of the rate, as each may begin with one mail. Of a remainder of connections, some of them have one more. The shares
 * add up to the total.
 */
export function shareOf(
  { _id, maxConnections, maxPerMinute }: {
    _id: string;
    maxConnections: number;
    maxPerMinute: number | null;
  },
  { count, position }: Peers,
): Share {
  const most = maxPerMinute === null ? count : Math.max(1, Math.floor(maxPerMinute / 60));
  const holders = Math.min(count, maxConnections, most);
  const first = hash("sha256", _id, "buffer").readUInt32BE(0) % count;
  const turn = (position - first + count) % count;
  if (turn >= holders) return { connections: 0, perMinute: 0 };
  const rest = turn < maxConnections % holders ? 1 : 0;
  return {
    connections: Math.floor(maxConnections / holders) + rest,
    perMinute: (maxPerMinute ?? Infinity) / holders,
  };
}
