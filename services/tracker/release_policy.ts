import type { Integration } from "@posthaste/contracts";
import type { IntegrationTrouble } from "@posthaste/storage";

/** How many parked messages of an integration may be on their way at once. */
export interface Window {
  size: number;
  /** How many were let go in the last round. */
  released: number;
}

/** What a decision is made by. */
export interface ReleaseView {
  /** Null if it does not exist any more. */
  integration: Integration | null;
  trouble: IntegrationTrouble | undefined;
  /** Messages that were let go and have not come to an outcome. */
  onTheirWay: number;
  window: Window;
  now: Date;
}

/** The window to begin with. */
export const FIRST_WINDOW: Window = { size: 20, released: 0 };

const SMALLEST = 10;
const LARGEST = 2000;

/**
 * Decides how many parked messages of an integration are let go now. None while it is suspended or its
 * server left alone; one, as a probe, after such a pause; else what its window has room for.
 */
export function roomFor({ integration, trouble, onTheirWay, window, now }: ReleaseView): number {
  if (integration === null) return LARGEST;
  if (integration.suspended !== null) return 0;
  const openUntil = trouble?.openUntil ?? null;
  if (openUntil !== null) return openUntil <= now && onTheirWay === 0 ? 1 : 0;
  return Math.max(0, Math.min(window.size, withinRate(integration)) - onTheirWay);
}

/** What may go within two seconds. The mailers hold the rate itself, and what they have ends at it. */
function withinRate({ maxPerMinute }: Integration): number {
  return maxPerMinute === null ? Infinity : Math.max(1, Math.ceil(maxPerMinute / 30));
}

/** What came of the messages that were let go. */
export interface Progress {
  /** Messages that have not come to an outcome. */
  onTheirWay: number;
  /** Messages that were parked again: their server is busy. */
  returned: number;
}

/**
 * Fits the window to how fast the server is: twice as large if all that was let go in the last round
 * is done, half as large if some of it came back or most of it is not done.
 */
export function nextWindow(
  { size, released }: Window,
  { onTheirWay, returned }: Progress,
): number {
  if (returned > 0 || onTheirWay > size / 2) return Math.max(Math.floor(size / 2), SMALLEST);
  if (released > 0 && onTheirWay === 0) return Math.min(size * 2, LARGEST);
  return size;
}
