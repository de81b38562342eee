import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { failOverdueOf, type OverdueMailDeps } from "./fail_overdue_of.ts";
import type { Flow } from "./flow.ts";
import { openRound } from "./open_routes.ts";

/** The dependencies of failing mail that has waited too long. */
export type OverdueDeps =
  & OverdueMailDeps
  & StorePart<"waiting.integrationsDue" | "waiting.integrationsWaitedFor" | "circuits.list">
  & { logger: Pick<Logger, "warn"> };

/** Pause between two rounds while mail waits. */
const ROUND_EVERY_MS = 1000;

/** Interval at which the mail of one integration is searched. */
const SEARCH_EVERY_MS = 10_000;
/** A round may begin some milliseconds early. */
const EARLY_MS = ROUND_EVERY_MS / 2;

/** Maximum number of integrations that one round searches: a hundred stopped ones must not cause a burst of work. */
const MAX_SEARCHES = 10;

/** Maximum number of overdue messages that one round fails, of all integrations. */
const MAX_FAILED_PER_ROUND = 500;

/** Time of the last search, in milliseconds, by integration. */
export type Searches = Map<string, number>;

/** Fails mail that has waited too long for integrations that take none, until the signal aborts. */
export async function failOverdueForever(
  deps: OverdueDeps,
  { flow, signal }: { flow: Flow; signal: AbortSignal },
): Promise<void> {
  const searches: Searches = new Map();
  await repeat(() => failOverdue(deps, { flow, searches, signal }), {
    everyMs: ROUND_EVERY_MS,
    idleMs: SEARCH_EVERY_MS,
    failure: "Cannot fail what has waited too long, retrying",
    logger: deps.logger,
    signal,
  });
}

/**
 * Fails messages that no integration takes now, and that have waited for the maximum time. While their integration only
 * has no capacity, they wait for their last attempt. Returns whether any mail waits.
 *
 * @throws The first error, after the work on all other integrations and sends.
 */
export async function failOverdue(
  deps: OverdueDeps,
  { flow, searches, signal }: { flow: Flow; searches: Searches; signal: AbortSignal },
): Promise<boolean> {
  const now = deps.now();
  const waitedFor = new Set([
    ...flow.integrationsReturned(),
    ...await deps.waiting.integrationsWaitedFor(),
    ...await deps.waiting.integrationsDue(now),
  ]);
  for (const key of searches.keys()) if (!waitedFor.has(key)) searches.delete(key);
  const searched = chooseSearched(waitedFor, searches, now);
  if (searched.length === 0) return waitedFor.size > 0;
  const round = openRound(await deps.circuits.list(), flow);
  const errors: unknown[] = [];
  let left = MAX_FAILED_PER_ROUND;
  for (const key of searched) {
    if (left <= 0 || signal.aborted) break;
    try {
      const ended = await failOverdueOf(key, { round, max: left }, deps);
      errors.push(...ended.errors);
      left -= ended.failed;
    } catch (error) {
      errors.push(error);
    }
    // One that has more goes on in the next round, after those that were not reached.
    searches.set(key, now.getTime() - (left > 0 ? 0 : SEARCH_EVERY_MS));
  }
  if (errors.length > 0) throw errors[0];
  return true;
}

/** Chooses the integrations that are searched in this round: those whose last search is longest ago. */
function chooseSearched(integrations: Iterable<string>, searches: Searches, now: Date): string[] {
  const lastOf = (key: string) => searches.get(key) ?? 0;
  return [...integrations]
    // A clock that was set back must not stop the searches.
    .filter((key) => Math.abs(now.getTime() - lastOf(key)) >= SEARCH_EVERY_MS - EARLY_MS)
    .toSorted((a, b) => lastOf(a) - lastOf(b))
    .slice(0, MAX_SEARCHES);
}
