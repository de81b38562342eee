import { isOutage } from "@posthaste/messaging";
import { allSettled } from "@posthaste/runtime";
import { dispatchDue, type DueDeps, findDue } from "./dispatch_due.ts";
import { dispatchAllReturned } from "./dispatch_returned.ts";
import type { Flow } from "./flow.ts";
import { openRound } from "./open_routes.ts";
import { dispatchSends, findSends, type ScheduleDeps } from "./schedule_sends.ts";

/** The dependencies of a round. */
export type RoundDeps = ScheduleDeps & DueDeps;

/**
 * Dispatches mail within the capacity of each integration, small mail first: retries of small sends, small sends that
 * wait, retries of large sends, attempts that came back, and large sends that wait. Returns whether any mail waits for
 * its first attempt.
 *
 * @param due The integrations (`<account>/<id>`) that have due messages.
 * @throws The first error, after all other work. An outage goes first.
 */
export async function dispatchRound(
  deps: RoundDeps,
  { flow, due }: { flow: Flow; due: readonly string[] },
): Promise<boolean> {
  const waited = await deps.waiting.integrationsWaitedFor();
  const waiting = [...new Set([...flow.integrationsReturned(), ...waited])];
  if (due.length + waiting.length === 0) return false;
  const round = openRound(await deps.circuits.list(), flow);
  const { results: retries, errors: noRetries } = await allSettled(
    due,
    (key) => findDue(key, round, deps),
  );
  const { results, errors: noSends } = await allSettled(
    waiting,
    (key) => findSends(key, round, deps),
  );
  const sends = results.flat();
  const errors = [...noRetries, ...noSends];
  for (
    const dispatch of [
      () => dispatchDue(retries, "transactional", { flow, deps }),
      () => dispatchSends(sends, "transactional", { flow, deps }),
      () => dispatchDue(retries, "bulk", { flow, deps }),
      () => dispatchAllReturned(sends, { flow, deps }),
      () => dispatchSends(sends, "bulk", { flow, deps }),
    ]
  ) {
    await dispatch().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors.find(isOutage) ?? errors[0];
  return waiting.length > 0;
}
