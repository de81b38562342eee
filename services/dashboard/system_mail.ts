import { createHash } from "node:crypto";
import type { Account, Integration } from "@posthaste/contracts";
import type { DashboardDeps } from "./app.ts";
import { Problem } from "./problem.ts";
import { sendMail } from "./send_mail.ts";
import { SYSTEM_TEMPLATES, type SystemMailKind } from "./system_templates.ts";

/** What Posthaste itself writes to people, by the pipeline that it runs for everybody. */
export interface SystemMail {
  /**
   * Accepts a mail.
   *
   * @throws {Problem} `unavailable` if the account for it has no integration.
   */
  send(
    kind: SystemMailKind,
    mail: { to: string; variables: Record<string, string> },
  ): Promise<void>;
}

/**
 * Opens the system mail of an account, which the operator names: its oldest integration sends it, from
 * that one's first sender. Its templates are published there when they are first needed.
 */
export function openSystemMail(
  account: string,
  deps: Pick<DashboardDeps, "store" | "bus" | "now" | "logger">,
): SystemMail {
  const { store, logger } = deps;

  async function findSender(): Promise<
    { account: Account; integration: Integration; sender: string }
  > {
    const found = await store.findAccount(account);
    const [integration] = found === null ? [] : await store.listIntegrations(found._id);
    const sender = integration?.senders[0];
    if (found !== null && integration !== undefined && sender !== undefined) {
      return { account: found, integration, sender };
    }
    logger.error("Cannot send system mail: its account is not there, or has no integration", {
      account,
    });
    throw new Problem("unavailable", "No mail can be sent now: tell whoever runs Posthaste");
  }

  return {
    async send(kind, { to, variables }) {
      const { account: { _id: accountId }, integration, sender } = await findSender();
      const { name, variables: names, ...parts } = SYSTEM_TEMPLATES[kind];
      const { version: email } = await store.publishVersion({
        ...{ accountId, kind: "email", alias: `posthaste-${kind}`, name },
        variables: names.map((each) => ({ name: each, required: true })),
        sourceHash: createHash("sha256").update(JSON.stringify(parts)).digest("hex"),
        source: { subject: parts.subject, html: parts.html },
        parts,
      });
      if (email.kind !== "email") throw new Error("Cannot send a PDF template as a mail");
      await sendMail({ email, integration, pdfs: [], sender, to, variables }, deps);
    },
  };
}
