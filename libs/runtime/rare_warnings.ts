import type { Logger } from "@posthaste/telemetry";

/** Shortest time between two warnings of the same text. */
const WARN_EVERY_MS = 10_000;

/** Returns a logger that warns of a failure when it begins, and then every 10 s while it lasts. */
export function rareWarnings(logger: Pick<Logger, "warn">): Pick<Logger, "warn"> {
  const warnAgainAt = new Map<string, number>();
  return {
    warn(text, ...details) {
      const now = performance.now();
      if (now < (warnAgainAt.get(text) ?? -Infinity)) return;
      warnAgainAt.set(text, now + WARN_EVERY_MS);
      logger.warn(text, ...details);
    },
  };
}
