import { hash } from "node:crypto";
import type { Account, Integration } from "@posthaste/contracts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import { HttpError } from "./http_error.ts";
import { sendMail } from "./send_mail.ts";
import { SYSTEM_TEMPLATES, type SystemMailKind } from "./system_templates.ts";

/** Posthaste's own mail to people, sent through its own pipeline. */
export interface SystemMail {
  /** Name or id of the account that sends it. */
  readonly account: string;
  /**
   * Accepts a mail.
   *
   * @throws {HttpError} `unavailable` if its account has no integration, or has reached its limit.
   */
  send(
    kind: SystemMailKind,
    mail: { to: string; variables: Record<string, string> },
  ): Promise<void>;
}

/** Which account sends system mail, and how much. */
export interface SystemMailOptions {
  /** Name or id of the account. */
  account: string;
  /** Maximum number of messages per clock hour and process. @default {1000} */
  maxPerHour?: number | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * Opens the system mail of the account that the operator names. The account's oldest integration
 * sends it, from its first sender. Its templates are published there on first use.
 */
export function openSystemMail(
  { account, maxPerHour = 1000 }: SystemMailOptions,
  deps: Pick<DashboardDeps, "store" | "bus" | "now" | "logger">,
): SystemMail {
  const { store, logger } = deps;
  let [hour, count] = [0, 0];

  function countOne(): void {
    const current = Math.floor(deps.now().getTime() / HOUR_MS);
    if (current !== hour) [hour, count] = [current, 0];
    if (++count <= maxPerHour) return;
    if (count === maxPerHour + 1) {
      logger.error("Cannot send system mail: the hourly limit is reached", { account, maxPerHour });
    }
    throw unavailable();
  }

  async function findSender(): Promise<
    { account: Account; integration: Integration; sender: string }
  > {
    const found = await store.accounts.find(account);
    const [integration] = found === null ? [] : await store.integrations.list(found._id);
    const sender = integration?.senders[0];
    if (found !== null && integration !== undefined && sender !== undefined) {
      return { account: found, integration, sender };
    }
    logger.error("Cannot send system mail: SYSTEM_ACCOUNT does not exist or has no integration", {
      account,
    });
    throw unavailable();
  }

  return {
    account,
    async send(kind, { to, variables }) {
      countOne();
      const { account: { _id: accountId }, integration, sender } = await findSender();
      const { name, variables: names, ...parts } = SYSTEM_TEMPLATES[kind];
      const { version: email } = await store.templates.publish({
        ...{ accountId, kind: "email", alias: `posthaste-${kind}`, name },
        variables: names.map((each) => ({ name: each, required: true })),
        sourceHash: hash("sha256", JSON.stringify(parts), "hex"),
        source: { subject: parts.subject, html: parts.html },
        parts,
      });
      if (email.kind !== "email") throw new Error("Cannot send a PDF template as a message");
      await sendMail({ email, integration, pdfs: [], sender, to, variables }, deps);
    },
  };
}

function unavailable(): HttpError {
  return new HttpError(
    "unavailable",
    "This installation cannot send mail at the moment. Contact the operator",
  );
}
