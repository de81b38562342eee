import { errorType, type Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";

/** How long and how loudly something that is away is waited for. */
export interface Waiting {
  signal: AbortSignal;
  logger: Pick<Logger, "warn">;
}

const DELAY_MS = 2000;
const AWAY: ReadonlySet<string> = new Set(["unavailable", "timeout", "dns"]);

/**
 * Opens something as soon as it is there, if it is waited for.
 *
 * A person who runs a command wants to hear at once that an address is wrong. A service passes `waiting`:
 * else one that starts during an outage would die again and again, and an orchestrator that waits longer
 * each time would bring it back minutes late.
 *
 * @throws What `open` throws, if that tells anything else than that nothing answers: waiting does not help.
 * @throws What `open` throws, if nothing is waited for.
 */
export async function onceThere<T>(
  open: () => Promise<T>,
  { what, waiting }: { what: string; waiting: Waiting | undefined },
): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (waiting === undefined || !AWAY.has(errorType(error))) throw error;
      waiting.logger.warn(`Cannot reach ${what}, retrying`, { error });
      await delay(DELAY_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
      waiting.signal.throwIfAborted();
    }
  }
}
