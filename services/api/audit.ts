import type { AuditEntry } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { FastifyRequest } from "fastify";

/** What writes audit entries. */
export interface AuditDeps extends StorePart<"audit.note"> {
  now(): Date;
}

/**
 * Writes to the account's audit log what a token was used for. The entry names the token, and no
 * person.
 */
export async function audit(
  deps: AuditDeps,
  { caller, store }: Pick<FastifyRequest, "caller" | "store">,
  { action, target, details = {} }:
    & Pick<AuditEntry, "action" | "target">
    & Partial<Pick<AuditEntry, "details">>,
): Promise<void> {
  const { accountId, name, prefix } = caller;
  const by = `token "${name}" (${prefix}…)`;
  const entry = { accountId, at: deps.now(), userId: null, userEmail: null, action, target };
  await store.wait(
    "write the audit log",
    () => deps.audit.note({ ...entry, details: { ...details, by } }),
  );
}

/** Returns what writes to the audit log that a send may go to suppressed addresses. */
export function toSuppressedAudit(
  deps: AuditDeps,
  request: Pick<FastifyRequest, "caller" | "store">,
): (sendId: string, recipients: number) => Promise<void> {
  return (sendId, recipients) =>
    audit(deps, request, {
      ...{ action: "send.to_suppressed", target: `send ${sendId}`, details: { recipients } },
    });
}

/**
 * Writes to the audit log that a token reads a message's content, which is private. Content is
 * shown only after this.
 */
export async function auditRead(
  deps: AuditDeps,
  request: Pick<FastifyRequest, "caller" | "store">,
  { id, details = {} }: { id: string } & Partial<Pick<AuditEntry, "details">>,
): Promise<void> {
  await audit(deps, request, { action: "message.read", target: `message ${id}`, details });
}
