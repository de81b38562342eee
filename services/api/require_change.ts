import type { AccessToken } from "@posthaste/contracts";
import { requireUse } from "./authenticate.ts";
import { findBatch } from "./batch.ts";
import type { StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";
import type { RequestStore } from "./request_store.ts";

type Caller = Pick<AccessToken, "accountId" | "templates" | "integrations">;

/** What a change of many messages names. */
export interface NamedMail {
  sendId?: string | undefined;
  batchId?: string | undefined;
  templateId?: number | undefined;
  integrationId?: number | undefined;
}

/** What {@linkcode requireChange} needs. */
export interface RequireChangeDeps extends StorePart<"batches.find"> {
  store: Pick<RequestStore, "findSend" | "wait">;
  /** What it is for: `cancel the messages`. */
  action: string;
}

/** Rejects a change of mail that a token must not send. @throws {HttpError} `missing_scope` */
export function requireMail(
  caller: Caller,
  { template, integrationId }: { template: { id: number }; integrationId: number },
): void {
  requireUse(caller, { templateId: template.id, integrationId });
}

/**
 * Rejects a change of many messages if some of them may be mail that a token must not send: it names neither a send
 * or batch, nor what the token is limited to.
 *
 * @throws {HttpError} `missing_scope`; `unknown_batch`
 */
export async function requireChange(
  caller: Caller,
  { sendId, batchId, templateId, integrationId }: NamedMail,
  deps: RequireChangeDeps,
): Promise<void> {
  const { accountId, templates, integrations } = caller;
  if (templates.length === 0 && integrations.length === 0) return;
  const { store } = deps;
  if (sendId !== undefined) {
    const send = await store.findSend(accountId, sendId);
    // What does not exist has no messages.
    if (send !== null) requireMail(caller, send);
    return;
  }
  if (batchId !== undefined) {
    return requireMail(caller, await findBatch(batchId, { ...deps, accountId }));
  }
  requireUse(caller, { templateId, integrationId });
  if (templates.length > 0 && templateId === undefined) throw unnamed("templates", deps);
  if (integrations.length > 0 && integrationId === undefined) throw unnamed("integrations", deps);
}

function unnamed(kind: string, { action }: RequireChangeDeps): HttpError {
  const reason = `it is limited to some ${kind}. Name a send, a batch or one of these`;
  return new HttpError("missing_scope", `Cannot ${action} by this token: ${reason}`);
}
