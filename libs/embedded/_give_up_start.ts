import { type StartFailure, startFailure } from "./_start_failure.ts";
import type { Supervised } from "./_supervised.ts";

/** The facts about a server that did not become ready. */
export interface GivenUpStart extends Pick<StartFailure, "program" | "port" | "dataDir"> {
  /** How long the start was awaited. */
  timeoutMs: number;
}

/** Stops a server that did not become ready, and returns the error with the reason. */
export async function giveUpStart(
  process: Supervised,
  { timeoutMs, ...server }: GivenUpStart,
): Promise<Error> {
  const exit = process.exit();
  const end = exit === undefined
    ? `did not answer within ${timeoutMs / 1000} s`
    : `ended with ${exit.signal ?? `code ${exit.code}`}`;
  await process.stop();
  return startFailure({ ...server, log: await process.log(), end });
}
