import { freePort } from "./free_port.ts";
import { isPortTaken } from "./_start_failure.ts";
import type { Supervised } from "./_supervised.ts";

const ATTEMPTS = 3;

/**
 * Starts a server on the requested port, or on a free one. Another program may take a free one before the
 * server does; then another is tried.
 */
export async function somewhere(
  wanted: number | undefined,
  start: (port: number) => Promise<Supervised>,
): Promise<{ port: number; process: Supervised }> {
  for (let attempt = 1;; attempt++) {
    const port = wanted || await freePort();
    try {
      return { port, process: await start(port) };
    } catch (error) {
      if (wanted || attempt === ATTEMPTS || !isPortTaken(error)) throw error;
    }
  }
}
