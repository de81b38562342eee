import type { Send } from "@posthaste/contracts";
import { emailsOf, type StoredSend } from "./_collections.ts";

/** Returns a send as it is stored. Its idempotency key is kept elsewhere. */
export function toStored({ idempotency: _key, ...send }: Send): StoredSend {
  const { from, to } = send.request;
  return { ...send, request: JSON.stringify(send.request), from, emails: emailsOf(to) };
}

/** Returns the send that is stored. */
export function toSend(
  { from: _from, contentDue: _due, reconciledBy: _by, emails: _to, request, ...send }: StoredSend,
): Send {
  return { ...send, request: JSON.parse(request) };
}
