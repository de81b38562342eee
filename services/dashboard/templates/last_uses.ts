import type { StorePart, TemplateUses } from "@posthaste/storage";

/** Returns when an account's templates were last used. */
export type LastUses = (accountId: string) => Promise<TemplateUses>;

/** The number of newest sends that are searched. */
const SENDS = 1000;
const KEPT_MS = 15_000;
const MAX_ACCOUNTS = 500;

/** Opens the look-up of templates' last uses. Callers within a short time share one search. */
export function openLastUses(
  { templates: { uses: templateUses }, now }: StorePart<"templates.uses"> & { now(): Date },
): LastUses {
  const known = new Map<string, { at: number; uses: Promise<TemplateUses> }>();
  return (accountId) => {
    const at = now().getTime();
    const before = known.get(accountId);
    if (before !== undefined && at - before.at < KEPT_MS) return before.uses;
    const uses = templateUses(accountId, SENDS);
    uses.catch(() => known.delete(accountId));
    known.delete(accountId);
    known.set(accountId, { at, uses });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_ACCOUNTS) break;
      known.delete(oldest);
    }
    return uses;
  };
}
