import { attemptPolicy, chooseIntegration, type Outcome } from "../mod.ts";
import { bit, FALLBACK, OWN, type WorldMessage } from "./state.ts";
import type { World } from "./world.ts";

const ATTEMPTS = [1, 2, 3];
const HEALTH = [[true, true], [true, false], [false, true], [false, false]] as const;

/** Returns the integrations that a scheduler may choose for a message: any of them may be healthy or not. */
export function choicesFor({ outcome }: WorldMessage, { hasFallback }: World): readonly number[] {
  if (!hasFallback) return [OWN];
  const { unknown = 0, unreached = 0 } = outcome ?? {};
  const earlier = {
    unknownAttempts: ATTEMPTS.filter((n) => unknown & bit(n)),
    unreached: unreached === 0 ? null : unreached,
  };
  const chosen = HEALTH.map(([isOwnHealthy, isOtherHealthy]) =>
    chooseIntegration(earlier, {
      own: { id: OWN, isHealthy: isOwnHealthy, isPaused: false },
      fallbacks: [{ id: FALLBACK, isHealthy: isOtherHealthy }],
    })
  );
  return [...new Set(chosen)];
}

/** Returns the outcome of an attempt when it is unknown whether the server took the mail. */
export function unknownOutcome(
  { n, integration }: { n: number; integration: number },
  { policy }: World,
): Outcome {
  const { whenUnknown } = attemptPolicy({ retryForMs: 1, whenUnknown: policy }, {
    isFallback: integration === FALLBACK,
  });
  const state = whenUnknown === "hold" ? "unknown" : n < 2 ? "deferred" : "failed";
  return { state, unknownAttempt: n };
}
