import { errorType, type Logger } from "@posthaste/telemetry";
import { pause } from "./pause.ts";

/** Waiting for a dependency that is unavailable, and its log. */
export interface Waiting {
  signal: AbortSignal;
  logger: Pick<Logger, "warn">;
}

const DELAY_MS = 2000;
const AWAY: ReadonlySet<string> = new Set(["unavailable", "timeout", "dns"]);

/**
 * Opens a connection, and waits for an unavailable server if `waiting` is given.
 *
 * A person who runs a command must see immediately that an address is wrong. A service passes `waiting`: a
 * service that starts during an outage would otherwise end again and again, and an orchestrator with growing
 * delays would restart it minutes late.
 *
 * @throws What `open` throws, unless it shows that the server is unavailable: waiting does not help then.
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
      await pause(DELAY_MS, waiting.signal);
      waiting.signal.throwIfAborted();
    }
  }
}
