import { repeat } from "@posthaste/runtime";
import { notifyOwners } from "./notices.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import type { SystemMail } from "./system_mail.ts";

type NoticeDeps = Pick<DashboardDeps, "store" | "bus" | "now" | "logger"> & {
  /** Where people open the dashboard. */
  publicUrl: string;
};

const EVERY_MS = 60_000;
const BATCH_SIZE = 100;

/** Notifies owners of suspended integrations until it is stopped. */
export async function notifyOfSuspensionsForever(
  mail: SystemMail,
  deps: NoticeDeps,
  signal: AbortSignal,
): Promise<void> {
  await repeat(() => notifyOfSuspensions(mail, deps), {
    everyMs: EVERY_MS,
    failure: "Cannot notify owners of suspended integrations, retrying",
    logger: deps.logger,
    signal,
  });
}

/**
 * Notifies the owners of each suspended integration once over all processes. There is no mail for
 * integrations that system mail itself uses: it would wait there.
 */
export async function notifyOfSuspensions(mail: SystemMail, deps: NoticeDeps): Promise<void> {
  const { store, now, logger, publicUrl } = deps;
  const system = await store.accounts.find(mail.account);
  for (const integration of await store.integrations.listUnnotifiedSuspensions(BATCH_SIZE)) {
    const { accountId, id, name, suspended } = integration;
    // Recorded first: a lost notice is better than a double one.
    if (
      suspended === null || !await store.integrations.noteSuspensionNotified(integration, now())
    ) continue;
    if (accountId === system?._id) {
      logger.error("Cannot notify by mail: the integration for system mail is suspended", {
        reason: suspended.reason,
      });
      continue;
    }
    const account = await store.accounts.find(accountId);
    const variables = {
      account: account?.name ?? accountId,
      integration: name,
      reason: sentenceOf(suspended.reason),
      link: new URL(`/a/${encodeURIComponent(accountId)}/integrations/${id}`, publicUrl).href,
    };
    await notifyOwners(accountId, { kind: "suspended", variables }, { deps, mail });
  }
}

/** Reasons are stored without a final period, but one with the words of a server may have it. */
function sentenceOf(reason: string): string {
  const sentence = reason.charAt(0).toUpperCase() + reason.slice(1);
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
