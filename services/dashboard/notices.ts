import type { User } from "@posthaste/contracts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import type { SystemMail } from "./system_mail.ts";
import type { SystemMailKind } from "./system_templates.ts";

/** What sending notices needs. */
export interface NoticeDeps {
  deps: Pick<DashboardDeps, "store" | "logger">;
  /** Undefined if the operator has configured no account for it: then no notices are sent. */
  mail: SystemMail | undefined;
}

/** The content of a notice. */
export interface Notice {
  kind: SystemMailKind;
  variables: Record<string, string>;
}

/**
 * Notifies a person by mail if their address is verified; otherwise a stranger might read it. The
 * event itself has already happened, even if the mail fails.
 */
export async function notifyPerson(
  { email, emailProvenAt }: Pick<User, "email" | "emailProvenAt">,
  { kind, variables }: Notice,
  { deps: { logger }, mail }: NoticeDeps,
): Promise<void> {
  if (mail === undefined || emailProvenAt === null) return;
  await mail.send(kind, { to: email, variables }).catch((error: unknown) => {
    logger.warn(`Cannot send the system mail "${kind}"`, { error });
  });
}

/** Notifies every owner of an account. */
export async function notifyOwners(
  accountId: string,
  notice: Notice,
  notices: NoticeDeps,
): Promise<void> {
  if (notices.mail === undefined) return;
  for (const { member, user } of await notices.deps.store.people.listMembers(accountId)) {
    if (member.role === "owner") await notifyPerson(user, notice, notices);
  }
}
