import { repeat } from "@posthaste/runtime";
import { notifyOwners } from "./notices.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import type { SystemMail } from "./system_mail.ts";

type NoticeDeps = Pick<DashboardDeps, "store" | "bus" | "now" | "logger">;

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
  const { store, now, logger } = deps;
  const system = await store.accounts.find(mail.account);
  for (const integration of await store.integrations.listUnnotifiedSuspensions(BATCH_SIZE)) {
    const { accountId, name, suspended } = integration;
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
      reason: suspended.reason,
    };
    await notifyOwners(accountId, { kind: "suspended", variables }, { deps, mail });
  }
}
