import type { Integration } from "@posthaste/contracts";
import { failpoint } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Admission } from "./admission.ts";
import type { SmtpVerdict } from "./smtp_verdict.ts";

/** The dependencies of stopping an integration. */
export type StopDeps =
  & StorePart<"integrations.suspend" | "circuits.noteRefusedLogin">
  & {
    admission: Pick<Admission, "block">;
  };

/** Providers refuse valid logins temporarily, too: only a second refusal, after this time, suspends. */
const LOGIN_RETRY_MS = 60_000;

/**
 * Stops an integration if a verdict requires it: for a minute after a refused login, and until a person
 * changes the settings where only a person can repair it. Returns the reason for which its mail waits, or
 * `undefined` if it does not wait.
 */
export async function stopIntegration(
  verdict: SmtpVerdict,
  { integration, now }: { integration: Integration; now: Date },
  { integrations: { suspend: suspendIntegration }, circuits: { noteRefusedLogin }, admission }:
    StopDeps,
): Promise<string | undefined> {
  const { kind, reason } = verdict;
  if (kind !== "login_refused" && kind !== "suspend_integration") return undefined;
  const refusal = { id: integration._id, reason, now, retryMs: LOGIN_RETRY_MS };
  const isFirst = kind === "login_refused" && !await noteRefusedLogin(refusal);
  admission.block(integration);
  if (isFirst) return reason;
  const isSuspended = await suspendIntegration(integration, { at: now, reason });
  failpoint("mailer.after_suspend");
  return isSuspended ? reason : undefined;
}
