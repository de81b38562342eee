/** Placeholder values by variable name, as they come out of JSON. */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * Lays the levels of a request over each other, the first level given being the highest and the
 * last the lowest: the lowest level wins, key by key. A key given lower down replaces the whole
 * value of that key, nested or not; nested objects are never mixed.
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
