import { UNKNOWN_HEALTH, type WebhookHealth } from "@posthaste/contracts";

/** Number of different events that fail in a row until an endpoint is down. */
export const DOWN_AFTER = 5;

/** Maximum concurrent requests to one endpoint. */
export const MAX_CONCURRENCY = 4;

const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 30 * 60_000;
const SLOW_MS = 60_000;

/** An endpoint is given up after failures alone for this time, in milliseconds: 5 days. */
const GIVEN_UP_AFTER_MS = 5 * 24 * 3_600_000;

/** The answers of an overloaded endpoint. */
const OVERLOADED: readonly (number | null)[] = [429, 502, 503, 504];
const GONE = 410;

/** A request that failed. */
export interface FailedRequest {
  eventId: string;
  at: Date;
  /** Null if no answer came. */
  status: number | null;
  error: string;
}

/** Why an endpoint gets no more requests. */
export interface GivenUp {
  by: "gone" | "failing";
  reason: string;
}

/** Returns whether an endpoint is down: its position waits, and it gets one request at a time as a trial. */
export function isDown({ failures }: WebhookHealth): boolean {
  return failures >= DOWN_AFTER;
}

/** Returns how many requests an endpoint may have in flight now. */
export function placesOf(health: WebhookHealth, now: Date): number {
  if (isDown(health)) return health.retryAt !== null && health.retryAt > now ? 0 : 1;
  return health.slowUntil !== null && health.slowUntil > now ? 1 : MAX_CONCURRENCY;
}

/** Returns the health of an endpoint after a request that succeeded. */
export function afterSuccess({ slowUntil }: WebhookHealth, at: Date): WebhookHealth {
  return { ...UNKNOWN_HEALTH, slowUntil, lastSuccessAt: at };
}

/**
 * Returns the health of an endpoint after a request that failed. An event that fails repeatedly counts once,
 * as long as the endpoint is not down: the other events continue.
 */
export function afterFailure(
  health: WebhookHealth,
  { eventId, at, status, error }: FailedRequest,
): WebhookHealth {
  const isOther = isDown(health) || eventId !== health.lastFailedEvent;
  const failures = health.failures + (isOther ? 1 : 0);
  const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - DOWN_AFTER));
  return {
    ...health,
    failures,
    lastFailedEvent: eventId,
    failingSince: health.failingSince ?? at,
    retryAt: failures >= DOWN_AFTER ? new Date(at.getTime() + pauseMs) : null,
    slowUntil: OVERLOADED.includes(status) ? new Date(at.getTime() + SLOW_MS) : health.slowUntil,
    lastFailure: { at, status, error },
  };
}

/** Returns why an endpoint that has just failed gets no more requests; `undefined` if it gets more. */
export function givenUp(
  { failingSince, lastFailure }: WebhookHealth,
  now: Date,
): GivenUp | undefined {
  if (lastFailure?.status === GONE) {
    return { by: "gone", reason: "The endpoint answered 410: it accepts no more requests" };
  }
  if (failingSince === null || now.getTime() - failingSince.getTime() < GIVEN_UP_AFTER_MS) return;
  return { by: "failing", reason: "All requests to the endpoint failed for five days" };
}
