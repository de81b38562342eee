import { answerWithin } from "@posthaste/runtime";

/** Settings of {@linkcode patientCheck}. */
export interface PatientCheckOptions {
  /** How long the check may fail after it has passed, in milliseconds. */
  patienceMs: number;
  /** Milliseconds that never go back. @default {performance} */
  clock?: { now(): number };
}

/** Below the time that the health server gives a check. */
const TIMEOUT_MS = 1500;

/**
 * Makes a check of readiness that passes while another one does, or did not long ago: what a process
 * can do without for a while must not take it out of service. At first it must pass.
 */
export function patientCheck(
  check: () => Promise<unknown>,
  { patienceMs, clock = performance }: PatientCheckOptions,
): () => Promise<void> {
  let passedAt = -Infinity;
  return async () => {
    try {
      await answerWithin(TIMEOUT_MS, check());
      passedAt = clock.now();
    } catch (error) {
      if (clock.now() - passedAt > patienceMs) throw error;
    }
  };
}
