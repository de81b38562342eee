import type { Integration } from "@posthaste/contracts";
import type { IntegrationHistory, IntegrationTrouble } from "@posthaste/storage";
import { dkimRecord } from "./dkim_record.ts";
import type {
  DkimView,
  IntegrationHealthView,
  IntegrationSettingsView,
  IntegrationSummary,
  IntegrationView,
} from "./interface/integrations.ts";

/** So many waiting messages are counted at most: whoever sees it wants to know whether, not how many. */
export const MOST_WAITING = 10_000;

const HISTORY_LINES = 100;

/** What is read to tell how integrations fare. */
export type Histories = IntegrationHistory;

/** Gives an integration as a line of the list. */
export async function summaryOf(
  integration: Integration,
  store: Histories,
): Promise<IntegrationSummary> {
  const { id, name, host, port, tls, auth, senders, allowInvalidCertificate, dkim } = integration;
  return {
    ...{ id, name, host, port, tls, senders, allowInvalidCertificate },
    user: auth?.user ?? null,
    signsFor: dkim?.enabled ? dkim.domain : null,
    ...await healthOf(integration, store),
  };
}

/** Gives an integration with all that people may see of it. */
export async function viewOf(
  integration: Integration,
  store: Histories,
): Promise<IntegrationView> {
  const { accountId, id, revision, auth, dkim, createdAt, updatedAt } = integration;
  const [health, events, outcomes] = await Promise.all([
    healthOf(integration, store),
    store.listIntegrationEvents(accountId, id, { limit: HISTORY_LINES }),
    store.recentOutcomes(accountId, id),
  ]);
  const { lastSent, lastFailed } = outcomes;
  return {
    ...{ id, revision, settings: settingsOf(integration), hasPassword: auth !== null },
    ...health,
    dkim: dkim === null ? null : dkimOf(dkim),
    lastSent: lastSent && { messageId: lastSent._id, at: lastSent.at.toISOString() },
    lastFailed: lastFailed && {
      messageId: lastFailed._id,
      at: lastFailed.at.toISOString(),
      reason: lastFailed.reason,
    },
    history: events.map(({ at, type, reason }) => ({ at: at.toISOString(), type, reason })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function settingsOf(integration: Integration): IntegrationSettingsView {
  const { name, host, port, tls, ca, allowInvalidCertificate, auth, senders } = integration;
  const { maxConnections, maxPerMinute, retryForMs, whenUnknown } = integration;
  return {
    ...{ name, host, port, tls, ca, allowInvalidCertificate },
    user: auth?.user ?? null,
    authMethod: auth?.method ?? null,
    ...{ senders, maxConnections, maxPerMinute, retryForMs, whenUnknown },
  };
}

function dkimOf({ domain, selector, publicKey, enabled }: NonNullable<Integration["dkim"]>) {
  const record = dkimRecord({ domain, selector, publicKey });
  return { domain, selector, enabled, record } satisfies DkimView;
}

async function healthOf(
  integration: Integration,
  store: Histories,
): Promise<IntegrationHealthView> {
  const { accountId, id, suspended } = integration;
  const [trouble, waiting] = await Promise.all([
    store.findTrouble(accountId, id),
    store.countParked(accountId, id, MOST_WAITING),
  ]);
  return {
    ...stateOf(suspended, trouble, waiting),
    since: suspended?.at.toISOString() ?? null,
    openUntil: trouble?.openUntil?.toISOString() ?? null,
    waiting,
  };
}

/** Decides how an integration is: what stops it comes before what slows it. */
export function stateOf(
  suspended: Integration["suspended"],
  trouble: Pick<IntegrationTrouble, "openUntil" | "reason"> | null,
  waiting: number,
): Pick<IntegrationHealthView, "state" | "reason"> {
  if (suspended !== null) {
    const state = suspended.kind === "person" ? "paused" : "suspended";
    const { reason } = suspended;
    return { state, reason: reason.charAt(0).toUpperCase() + reason.slice(1) };
  }
  if (trouble !== null) {
    const state = trouble.openUntil === null ? "slow" : "unreachable";
    return { state, reason: trouble.reason };
  }
  if (waiting > 0) return { state: "slow", reason: "Mail waits for its turn" };
  return { state: "working", reason: null };
}
