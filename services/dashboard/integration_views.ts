import { type Integration, oauthLoginViewOf } from "@posthaste/contracts";
import {
  type IntegrationResult,
  integrationStateOf,
  stateSince,
  type StorePart,
} from "@posthaste/storage";
import { dkimRecord } from "./dkim_record.ts";
import type {
  DkimView,
  IntegrationHealthView,
  IntegrationSettingsView,
  IntegrationSummary,
  IntegrationView,
} from "./interface/integrations.ts";

/** The most waiting messages that are counted: readers need a rough number only. */
export const MAX_WAITING = 10_000;

const HISTORY_LINES = 100;

/** The operations that read how integrations perform. */
export type Histories =
  & StorePart<"integrations.listEvents" | "integrations.findCircuit" | "integrations.countWaiting">
  & StorePart<"integrations.listResults">;

/** Lists integrations of an account. */
export async function summariesOf(
  accountId: string,
  integrations: readonly Integration[],
  { store, now }: { store: Histories; now: Date },
): Promise<IntegrationSummary[]> {
  const results = await store.integrations.listResults(accountId, now);
  return await Promise.all(
    integrations.map((integration) => summaryOf(integration, results.get(integration.id), store)),
  );
}

async function summaryOf(
  integration: Integration,
  result: IntegrationResult | undefined,
  store: Histories,
): Promise<IntegrationSummary> {
  const { id, name, host, port, tls, auth, senders, allowInvalidCertificate, dkim } = integration;
  return {
    ...{ id, name, host, port, tls, senders, allowInvalidCertificate },
    user: auth?.user ?? null,
    signsFor: dkim?.enabled ? dkim.domain : null,
    ...await healthOf(integration, result, store),
  };
}

/** Returns an integration with all that people may see. */
export async function viewOf(
  integration: Integration,
  { store, now }: { store: Histories; now: Date },
): Promise<IntegrationView> {
  const { accountId, id, revision, auth, dkim, createdAt, updatedAt } = integration;
  const [results, events] = await Promise.all([
    store.integrations.listResults(accountId, now),
    store.integrations.listEvents(accountId, id, { limit: HISTORY_LINES }),
  ]);
  return {
    ...{ id, revision, settings: settingsOf(integration) },
    hasPassword: auth?.kind === "password",
    ...await healthOf(integration, results.get(id), store),
    dkim: dkim === null ? null : dkimOf(dkim),
    history: events.map(({ at, type, reason }) => ({ at: at.toISOString(), type, reason })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function settingsOf(integration: Integration): IntegrationSettingsView {
  const { name, host, port, tls, ca, allowInvalidCertificate, auth, senders } = integration;
  const { maxConnections, maxPerMinute, retryForMs, whenUnknown, fallbacks } = integration;
  return {
    ...{ name, host, port, tls, ca, allowInvalidCertificate },
    user: auth?.user ?? null,
    authMethod: auth?.kind === "password" ? auth.method : null,
    oauth: oauthLoginViewOf(auth),
    ...{ senders, maxConnections, maxPerMinute, retryForMs, whenUnknown, fallbacks },
  };
}

function dkimOf({ domain, selector, publicKey, enabled }: NonNullable<Integration["dkim"]>) {
  const record = dkimRecord({ domain, selector, publicKey });
  return { domain, selector, enabled, record } satisfies DkimView;
}

async function healthOf(
  integration: Integration,
  result: IntegrationResult | undefined,
  store: Histories,
): Promise<IntegrationHealthView> {
  const { accountId, id } = integration;
  const [circuit, waiting] = await Promise.all([
    store.integrations.findCircuit(accountId, id),
    store.integrations.countWaiting(accountId, id, MAX_WAITING),
  ]);
  const { lastSent = null, lastFailed = null } = result ?? {};
  const state = integrationStateOf({ integration, circuit, result, waiting });
  const since = stateSince({ integration, state: state.state, result });
  return {
    ...state,
    since: since?.toISOString() ?? null,
    openUntil: circuit?.openUntil?.toISOString() ?? null,
    waiting,
    lastSent: lastSent && { ...lastSent, at: lastSent.at.toISOString() },
    lastFailed: lastFailed && { ...lastFailed, at: lastFailed.at.toISOString() },
    ...{ attempts: result?.attempts ?? 0, sent: result?.sent ?? 0 },
  };
}
