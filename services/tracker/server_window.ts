/** How many messages may be in flight to one SMTP server. */
export interface ServerWindow {
  /** Records that a message was dispatched, and how many are in flight now. */
  begin(inFlight: number): void;
  /** Records that an attempt has ended, with any outcome. */
  end(): void;
  /**
   * Narrows the window by one message that came back. Places that have become free since the last dispatch count as used:
   * the server took their messages.
   *
   * @param wasBegun Whether the scheduler dispatched it, not the api.
   * @param inFlight How many are in flight without it.
   */
  narrow(message: { wasBegun: boolean; inFlight: number }): void;
  /** Returns the largest number of messages in flight. */
  width(): number;
  /** Returns whether it is as wide as that of a server of which nothing is known. */
  isNew(): boolean;
}

/** Width for a server without an outcome in the last ten minutes. */
const FIRST_WIDTH = 2;
/** Smallest width for a server from which outcomes come: enough for all its connections. */
const MIN_WIDTH = 10;
const MAX_WIDTH = 2000;
/** Up to this width a window grows quickly after a return, whatever came back. */
const MIN_SLOW_START_THRESHOLD = 32;

/**
 * Pause after every attempt was returned, in milliseconds. Then one message tries again; the pause doubles
 * with each failure.
 */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 15_000;

/** Time for which a server's last outcome counts, and its last return. */
const REMEMBERED_MS = 600_000;

/** Work in flight to a server, in milliseconds of its work. Mail passes all stages in a third of that. */
const AHEAD_MS = 1500;

/** Time for which the throughput of a server counts. */
const MEMORY_MS = 2000;
const MIN_SPAN_MS = 200;

/** Options of {@linkcode openWindow}. */
export interface WindowOptions {
  /** Width for a server without an outcome in the last ten minutes. @default {2} */
  firstWidth?: number;
  /** A monotonic clock in milliseconds. @default {performance} */
  clock?: { now(): number };
}

/**
 * Opens a window that follows its server: ten messages, and as many more as it takes in one and a half seconds, measured
 * over the last two.
 */
export function openWindow(
  { firstWidth = FIRST_WIDTH, clock = performance }: WindowOptions,
): ServerWindow {
  /** How many were in flight after the last dispatch. */
  let dispatched = 0;
  /** When attempts ended, of the last seconds. */
  const ends: number[] = [];
  let endedAt = -Infinity;
  /** When the first attempt was dispatched after a pause. */
  let since = clock.now();
  /** Largest width since the last return: it grows with each attempt that ends. */
  let cap = MAX_WIDTH;
  /**
   * Up to this width the cap grows quickly, at first without limit: half of the one that was too wide, at least 32.
   * The slow start threshold of TCP (RFC 5681, section 3.1).
   */
  let slowStartThreshold = MAX_WIDTH;
  let returnedAt = -Infinity;
  let pauseMs = FIRST_PAUSE_MS;

  function forgetOld(): void {
    const now = clock.now();
    const old = ends.findIndex((at) => now - at < MEMORY_MS);
    ends.splice(0, old === -1 ? ends.length : old);
  }

  /**
   * Returns by how much one attempt that ends widens the window. One beyond the threshold keeps its width while one attempt
   * in seventeen comes back: fewer tell nothing of the mailers' capacity, and more exceed it.
   */
  function growth(): number {
    return cap < slowStartThreshold ? 1 : 1 / 16;
  }

  return {
    begin(inFlight) {
      forgetOld();
      if (inFlight === 1 && ends.length === 0) since = clock.now();
      dispatched = inFlight;
    },
    end() {
      endedAt = clock.now();
      ends.push(endedAt);
      cap = Math.min(MAX_WIDTH, cap + growth());
      pauseMs = FIRST_PAUSE_MS;
    },
    narrow({ wasBegun, inFlight }) {
      const isTrial = wasBegun && cap === 0;
      const used = Math.floor(Math.min(cap, dispatched));
      if (wasBegun) {
        cap = Math.max(0, used - 1);
        // One message alone says nothing of a width.
        if (used > 1) slowStartThreshold = Math.max(MIN_SLOW_START_THRESHOLD, used / 2);
      } else {
        // The api had dispatched it. This proves little of the server: one message may try immediately.
        cap = Math.min(cap, Math.max(1, inFlight === 0 ? 0 : used));
      }
      if (isTrial) pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs);
      // What the api dispatched must not prolong the pause of a closed window: it may come back all the time.
      if (wasBegun || cap > 0) returnedAt = clock.now();
    },
    width() {
      forgetOld();
      const now = clock.now();
      if (cap === 0) return now - returnedAt >= pauseMs ? 1 : 0;
      const spanMs = Math.min(MEMORY_MS, Math.max(MIN_SPAN_MS, now - since));
      const ahead = ends.length * (AHEAD_MS / spanMs);
      const least = now - endedAt < REMEMBERED_MS ? MIN_WIDTH : firstWidth;
      return Math.min(Math.floor(cap), Math.round(least + ahead));
    },
    isNew: () => clock.now() - Math.max(endedAt, returnedAt) >= REMEMBERED_MS,
  };
}
