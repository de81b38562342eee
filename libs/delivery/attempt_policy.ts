/** How long a message is retried, and what happens after an unknown outcome. */
export interface AttemptPolicy {
  /** From the acceptance, in milliseconds. */
  retryForMs: number;
  whenUnknown: "retry" | "hold";
}

/**
 * Returns the policy after an attempt. The send's own integration decides, whichever one made the attempt. But
 * what a fallback leaves unknown is held: no other server may send what one may have.
 *
 * @param own Policy of the send's integration; null if it no longer exists.
 */
export function attemptPolicy(
  own: AttemptPolicy | null,
  { isFallback }: { isFallback: boolean },
): AttemptPolicy {
  const { retryForMs = 0, whenUnknown = "hold" } = own ?? {};
  return { retryForMs, whenUnknown: isFallback ? "hold" : whenUnknown };
}
