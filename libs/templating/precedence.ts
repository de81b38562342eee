/** Placeholder values by variable name, as parsed from JSON. */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * Merges the levels of a request, from the highest to the lowest: the lowest level wins, key by key. A key on
 * a lower level replaces the whole value of that key, nested or not; nested objects are never merged.
 *
 * The result has no prototype, so a key such as `__proto__` or `constructor` is plain data.
 *
 * ```ts
 * mergeVariables(request.variables, recipient.variables, attachment.variables);
 * ```
 */
export function mergeVariables(...levels: (Variables | null | undefined)[]): Variables {
  const merged: Record<string, unknown> = Object.create(null);
  for (const level of levels) {
    for (const key of Object.keys(level ?? {})) merged[key] = (level as Variables)[key];
  }
  return merged;
}
