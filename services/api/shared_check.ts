import { answerWithin } from "@posthaste/runtime";

/** Settings of {@linkcode sharedCheck}. */
export interface SharedCheckOptions {
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number;
  /** How long an answer is reused, in milliseconds. */
  freshMs: number;
}

/**
 * Creates a check that answers within a bounded time. Callers at about the same time share one
 * check.
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
