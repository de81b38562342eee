/**
 * The record of a server that failed lately. A server that works has no record: one success closes its
 * circuit.
 */
export interface Circuit {
  /** Consecutive failures to reach the server, or to get its answer. None are counted while it is open. */
  failures: number;
  /** Time before which nothing is tried; null while closed. */
  openUntil: Date | null;
}

/**
 * The state of a circuit. Closed: everything is tried. Open: nothing is. Half-open: one probe is, and the
 * rest waits for it.
 */
export type CircuitState = "closed" | "open" | "half_open";

/** Consecutive failures that open a circuit. */
const FAILURES_TO_OPEN = 5;

/** The longest pause, as a multiple of the first. */
const LONGEST_PAUSE = 20;

/**
 * Returns how long a circuit is open after this many consecutive failures, in milliseconds: 0 before the
 * fifth, then the first pause, doubled after each failed probe, up to 20 times the first.
 *
 * @param firstMs First pause, in milliseconds.
 */
export function pauseMs(failures: number, firstMs: number): number {
  if (failures < FAILURES_TO_OPEN) return 0;
  return firstMs * Math.min(2 ** (failures - FAILURES_TO_OPEN), LONGEST_PAUSE);
}

/**
 * Returns the state of a circuit. It does not follow from the failures: the process that counted the last may
 * be lost.
 */
export function circuitState(
  circuit: Pick<Circuit, "openUntil"> | undefined,
  now: Date,
): CircuitState {
  const openUntil = circuit?.openUntil ?? null;
  if (openUntil === null) return "closed";
  return openUntil <= now ? "half_open" : "open";
}

/** Returns how many more may be tried, given the number in flight. */
export function circuitCapacity(
  circuit: Pick<Circuit, "openUntil"> | undefined,
  { now, inFlight }: { now: Date; inFlight: number },
): number {
  const state = circuitState(circuit, now);
  if (state === "closed") return Infinity;
  return state === "half_open" && inFlight === 0 ? 1 : 0;
}
