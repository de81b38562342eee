import type { Webhook } from "@posthaste/contracts";
import { type MasterKeys, openSecret, WEBHOOK_SECRET } from "@posthaste/storage";

/**
 * Returns a function that opens the secrets of an endpoint that sign at a given time. Only here are they in
 * plain text.
 */
export function unsealer(
  keys: MasterKeys,
): (webhook: Pick<Webhook, "_id" | "accountId" | "secrets">, now: Date) => string[] {
  return ({ _id: recordId, accountId, secrets }, now) =>
    secrets.filter(({ until }) => until === null || until > now)
      .map(({ sealed }) =>
        openSecret(sealed, { accountId, recordId, field: WEBHOOK_SECRET, keys })
      );
}
