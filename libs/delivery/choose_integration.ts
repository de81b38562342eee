/** An integration that may make an attempt. */
export interface Candidate {
  id: number;
  /** Whether it sends now: it is not stopped, and its server is not known to be away. */
  isHealthy: boolean;
}

/** What earlier attempts of a message left behind. */
export interface EarlierAttempts {
  /** Attempts with an unknown outcome. */
  unknownAttempts: readonly number[];
  /** The integration whose server the last attempt certainly offered no mail. */
  unreached?: number | null | undefined;
}

/** The integrations among which to choose. */
export interface Choice {
  /** The integration of the send. `isPaused`: a person has paused it. */
  own: Candidate & { isPaused: boolean };
  /** Those that may send in its place, in their order. */
  fallbacks: readonly Candidate[];
}

/**
 * Returns the id of the integration that is to make the next attempt. That is the send's own, unless it is not
 * healthy, or the last attempt certainly offered it no mail; then the first healthy fallback, preferably one that was
 * reached. After an unknown outcome, and while a person has paused the send's integration, it stays the send's own.
 */
export function chooseIntegration(
  { unknownAttempts, unreached }: EarlierAttempts,
  { own, fallbacks }: Choice,
): number {
  if (own.isPaused) return own.id;
  if (unknownAttempts.length > 0) return own.id;
  if (own.isHealthy && unreached !== own.id) return own.id;
  const able = fallbacks.filter(({ id, isHealthy }) => isHealthy && id !== own.id);
  const other = able.find(({ id }) => id !== unreached);
  // The only one that works is tried again.
  return other?.id ?? (own.isHealthy ? own : able[0] ?? own).id;
}
