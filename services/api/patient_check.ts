import { answerWithin } from "@posthaste/runtime";

/** Settings of {@linkcode patientCheck}. */
export interface PatientCheckOptions {
  /** How long the check may fail after it has passed, in milliseconds. */
  patienceMs: number;
  /** A monotonic clock in milliseconds. @default {performance} */
  clock?: { now(): number };
}

/** Less than the time limit of the health server for a check. */
const TIMEOUT_MS = 1500;

/**
 * Creates a readiness check that passes while another check does, or passed recently: a process
 * must stay in service while it lacks something that it can do without for a while. The first check
 * must pass.
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
