import type { Logger } from "@posthaste/telemetry";

/** Shortest time between two warnings of the same failure. */
const WARN_EVERY_MS = 10_000;

/**
 * Returns a logger that warns of a failure when it begins, and then every 10 s while it lasts. Another error is another
 * failure.
 */
export function rareWarnings(logger: Pick<Logger, "warn">): Pick<Logger, "warn"> {
  const warnAgainAt = new Map<string, number>();
  return {
    warn(text, fields) {
      const now = performance.now();
      for (const [failure, at] of warnAgainAt) if (now >= at) warnAgainAt.delete(failure);
      const failure = `${text}: ${fields?.error}`;
      if (warnAgainAt.has(failure)) return;
      warnAgainAt.set(failure, now + WARN_EVERY_MS);
      logger.warn(text, fields);
    },
  };
}
