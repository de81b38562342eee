import { type Integration, messageIdOf } from "@posthaste/contracts";
import {
  advance,
  afterUnknown,
  attemptPolicy,
  beginOutcome,
  type NextAction,
} from "@posthaste/delivery";
import type { AttemptOutcome, SendHead } from "@posthaste/storage";
import { count } from "@posthaste/telemetry";
import type { FailureDeps } from "./fail_messages.ts";
import type { RouteDeps } from "./open_routes.ts";
import { statusEventsOf } from "./status_events_of.ts";
import { writeAll } from "./write_all.ts";

/** The dependencies of ending lost attempts. */
export type EndLostDeps = FailureDeps & RouteDeps;

/** Verdict about an attempt that has a register but no outcome. */
export type LostDecision = NextAction<AttemptOutcome> & { do: "complete" | "unknown" };

/** Returns whether an attempt is lost. */
export function isLost(decision: { do: string }): decision is LostDecision {
  return decision.do === "complete" || decision.do === "unknown";
}

/** A message of a send whose attempt is lost. */
export interface LostAttempt {
  /** Position in the request's `to`. */
  index: number;
  decision: LostDecision;
  /** The integration of the attempt, if not the send's own. */
  fallback?: number | undefined;
}

const REASON = "A worker crashed after it handed the mail over: the server may have accepted it";

/**
 * Writes the outcomes of lost attempts: the outcome in their register, or `unknown`.
 *
 * @throws The first error, after the work on all others.
 */
export async function endLost(
  send: SendHead,
  lost: readonly LostAttempt[],
  deps: EndLostDeps,
): Promise<void> {
  if (lost.length === 0) return;
  const integration = await deps.integrations.find(send.accountId, send.integrationId);
  const idOf = ({ index }: LostAttempt) => messageIdOf(send._id, index);
  const identities = await deps.sends.identify(lost.map(idOf));
  await writeAll(lost, async (attempt) => {
    const { index, decision, fallback } = attempt;
    const message = identities.get(idOf(attempt));
    if (message === undefined) return [];
    const { acceptedAt } = message;
    const outcome = decision.do === "complete"
      ? decision.outcome
      : unknownOutcome(decision, { acceptedAt, integration, fallback, now: deps.now() });
    const { n } = decision;
    const ending = await advance(beginOutcome({ n, outcome }), deps.registers.ledgerOf(message));
    // Another process knew more, and reports it.
    if (ending.phase !== "end" || ending.result !== "written") return [];
    count("posthaste.reconcile.ended", 1, { "posthaste.outcome": outcome.state });
    return statusEventsOf(send, { index, n, outcome, fallback });
  }, (report) => deps.publish(report, send.trace));
}

function unknownOutcome(
  { n, at: takenAt }: LostDecision & { do: "unknown" },
  { acceptedAt, integration, fallback, now }: {
    acceptedAt: Date;
    integration: Integration | null;
    fallback: number | undefined;
    now: Date;
  },
): AttemptOutcome {
  const policy = attemptPolicy(integration, { isFallback: fallback !== undefined });
  const after = afterUnknown({ attempt: n, acceptedAt, now, ...policy });
  const used = fallback === undefined ? {} : { integrationId: fallback };
  const reason = after.state === "failed" ? `${REASON}; retries ended` : REASON;
  return {
    ...{ state: after.state, unknownAttempt: n, at: now, reason },
    ...(after.state === "deferred" ? { nextAt: now } : {}),
    lines: [
      { at: takenAt ?? now, type: "sending", attempt: n, ...used },
      { at: now, type: after.state, attempt: n, detail: reason, ambiguous: true, ...used },
    ],
  };
}
