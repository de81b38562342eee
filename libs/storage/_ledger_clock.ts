import type { EventEmitter } from "node:events";

/** Beside the time that an answer takes on its way, clocks so close count as equal, in milliseconds. */
const TOLERATED_MS = 500;

/** What a database's client says of its servers: the driver's `serverHeartbeatSucceeded`. */
interface Heartbeat {
  reply: { localTime?: unknown };
}

/**
 * Returns a clock that shows the database's time: what one process plans, another finds by it, however far
 * apart their own clocks are. It costs no request: each heartbeat of the driver, some ten seconds apart,
 * tells the server's time. Before the first one it shows the process's own.
 *
 * @param wallClock The process's own clock, in milliseconds. @default {Date.now}
 */
export function ledgerClock(
  client: Pick<EventEmitter, "on">,
  { wallClock = Date.now }: { wallClock?: () => number } = {},
): () => Date {
  let apartMs = 0;
  client.on("serverHeartbeatSucceeded", ({ reply: { localTime } }: Heartbeat) => {
    if (!(localTime instanceof Date)) return;
    const apart = localTime.getTime() - wallClock();
    apartMs = Math.abs(apart) < TOLERATED_MS ? 0 : apart;
  });
  return () => new Date(wallClock() + apartMs);
}
