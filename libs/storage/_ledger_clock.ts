import type { EventEmitter } from "node:events";

/**
 * Clocks that differ by no more than this, plus the time of the answer's journey, count as equal, in
 * milliseconds.
 */
const TOLERATED_MS = 500;

/** The driver's report about a server: `serverHeartbeatSucceeded`. */
interface Heartbeat {
  reply: { localTime?: unknown };
}

/**
 * Returns a clock that shows the database's time. All processes then plan and search by the same time,
 * however far their own clocks differ. It costs no request: each heartbeat of the driver, about every ten
 * seconds, contains the server's time. Before the first one, it shows the process's own time.
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
