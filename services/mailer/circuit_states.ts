import { circuitState } from "@posthaste/limits";
import { repeat } from "@posthaste/runtime";
import type { CircuitFailure, IntegrationCircuit, StorePart } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";

/** The circuit state of each SMTP server that could not be reached lately, shared by all mailers. */
export interface CircuitStates {
  circuitOf(integrationId: string): IntegrationCircuit | undefined;
  /**
   * Records that a server was unreachable. Returns whether nothing is sent to it for a while. Never throws.
   *
   * @param failure `reason`: a sentence for its users. `error`: what operators find in the log.
   */
  note(integrationId: string, failure: { reason: string; error: unknown }): Promise<boolean>;
  /** Records that a server was reached. Never throws, and is free if no failure was known. */
  clear(integrationId: string): Promise<void>;
  /** Follows the states that other mailers report, until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** The dependencies of {@linkcode openCircuitStates}. */
export type CircuitStatesDeps =
  & Pick<CircuitFailure, "pauseMs">
  & StorePart<`circuits.${"close" | "countFailure" | "list"}`>
  & {
    now(): Date;
    logger: Pick<Logger, "warn" | "info">;
  };

const FOLLOW_MS = 4000;
const CANNOT_SHARE = "Cannot share the circuit state of SMTP servers";

/** Opens the circuit states; there are none until they are followed. */
export function openCircuitStates(deps: CircuitStatesDeps): CircuitStates {
  let known = new Map<string, IntegrationCircuit>();

  async function carefully(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // No mail waits for this: the next one sees the state by itself.
      deps.logger.warn(CANNOT_SHARE, { error });
    }
  }

  return {
    circuitOf: (id) => known.get(id),
    async note(id, { reason, error }) {
      await carefully(async () => {
        const { circuit, isOpened } = await deps.circuits.countFailure({
          id,
          reason,
          now: deps.now(),
          pauseMs: deps.pauseMs,
        });
        known.set(id, circuit);
        if (!isOpened) return;
        count("posthaste.breaker.transitions", 1, { "posthaste.outcome": "open" });
        deps.logger.warn("An SMTP server cannot be reached, circuit opened", {
          integration: id,
          error,
        });
      });
      return circuitState(known.get(id), deps.now()) === "open";
    },
    clear: (id) =>
      carefully(async () => {
        const before = known.get(id);
        if (before === undefined) return;
        known.delete(id);
        await deps.circuits.close(id);
        if (circuitState(before, deps.now()) === "closed") return;
        count("posthaste.breaker.transitions", 1, { "posthaste.outcome": "closed" });
        deps.logger.info("An SMTP server is reachable again, circuit closed", { integration: id });
      }),
    async follow(signal) {
      await repeat(async () => {
        known = new Map((await deps.circuits.list()).map((circuit) => [circuit._id, circuit]));
      }, { everyMs: FOLLOW_MS, failure: CANNOT_SHARE, logger: deps.logger, signal });
    },
  };
}
