import type { AccessToken } from "@posthaste/contracts";
import { repeat } from "@posthaste/runtime";
import type { DashboardDeps } from "./dashboard_deps.ts";
import { notifyOwners } from "./notices.ts";
import type { SystemMail } from "./system_mail.ts";

type NoticeDeps = Pick<DashboardDeps, "store" | "now" | "logger">;

const EVERY_MS = 600_000;
const BATCH_SIZE = 100;
const DAY_MS = 24 * 3_600_000;
const BEFORE_MS = 7 * DAY_MS;

/** Reminds owners of tokens that expire, until it is stopped. */
export async function notifyOfExpiriesForever(
  mail: SystemMail,
  deps: NoticeDeps,
  signal: AbortSignal,
): Promise<void> {
  await repeat(() => notifyOfExpiries(mail, deps), {
    everyMs: EVERY_MS,
    failure: "Cannot notify owners of expiring tokens, retrying",
    logger: deps.logger,
    signal,
  });
}

/**
 * Reminds the owners of each token that expires within a week, once over all processes. For a token
 * that was valid for less than four weeks, the reminder comes in the last quarter of its life.
 */
export async function notifyOfExpiries(mail: SystemMail, deps: NoticeDeps): Promise<void> {
  const { store, now } = deps;
  const before = new Date(now().getTime() + BEFORE_MS);
  for (const token of await store.tokens.listExpiring(before, BATCH_SIZE)) {
    if (!isDue(token, now())) continue;
    // Recorded first: a lost reminder is better than a double one.
    if (!await store.tokens.noteReminder(token._id, now())) continue;
    const account = await store.accounts.find(token.accountId);
    await notifyOwners(token.accountId, {
      kind: "expiring",
      variables: {
        ...{ account: account?.name ?? token.accountId, token: token.name },
        expires: `${token.expiresAt?.toISOString().slice(0, 16).replace("T", " ")} UTC`,
        used: token.lastUsedAt?.toISOString().slice(0, 10) ?? "never",
      },
    }, { deps, mail });
  }
}

function isDue({ createdAt, expiresAt }: AccessToken, now: Date): boolean {
  if (expiresAt === null) return false;
  const lifeMs = expiresAt.getTime() - createdAt.getTime();
  return expiresAt.getTime() - now.getTime() <= Math.min(BEFORE_MS, lifeMs / 4);
}
