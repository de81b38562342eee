import { answerWithin } from "@posthaste/runtime";

/** Settings of {@linkcode sharedCheck}. */
export interface SharedCheckOptions {
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number;
  /** How long an answer holds, in milliseconds. */
  freshMs: number;
}

/**
 * Makes a check that answers within a bounded time and is asked for once by all who ask at about the
 * same time.
 */
export function sharedCheck(
  check: () => Promise<unknown>,
  { timeoutMs, freshMs }: SharedCheckOptions,
): () => Promise<void> {
  let asked: { at: number; answer: Promise<void> } | undefined;

  async function ask(): Promise<void> {
    await answerWithin(timeoutMs, check());
  }

  return () => {
    const now = performance.now();
    if (asked === undefined || now - asked.at > freshMs) asked = { at: now, answer: ask() };
    return asked.answer;
  };
}
