import { isToSuppressed, type SendRequest } from "@posthaste/contracts";
import { answerWithin } from "@posthaste/runtime";
import { type StorePart, suppressedFormOf } from "@posthaste/storage";
import type { RequestStore } from "./request_store.ts";

/** What {@linkcode findSuppressed} needs. */
export interface FindSuppressedDeps extends StorePart<"suppressions.among"> {
  store: Pick<RequestStore, "wait">;
  now(): Date;
}

/** Only a warning depends on the look-up: a send does not wait longer for it, in milliseconds. */
const MAX_WAIT_MS = 250;

/**
 * Returns which recipients of a send are on the account's suppression list, as positions in `to`. It lacks
 * recipients whose mail ignores the list, and is empty if the ledger does not answer in time.
 */
export async function findSuppressed(
  request: Pick<SendRequest, "toSuppressed" | "to">,
  accountId: string,
  { store, now, suppressions }: FindSuppressedDeps,
): Promise<number[]> {
  const asked = request.to.map((recipient, index) => ({ index, recipient }))
    .filter(({ recipient }) => !isToSuppressed(request, recipient));
  if (asked.length === 0) return [];
  const emails = asked.map(({ recipient: { email } }) => email);
  const looking = store.wait(
    "look up the suppressions",
    () => suppressions.among(accountId, emails, now()),
  );
  // A look-up that fails or is late costs only the warning.
  const found = await answerWithin(MAX_WAIT_MS, looking).catch(() => undefined);
  return asked.flatMap(({ index, recipient: { email } }) =>
    found?.has(suppressedFormOf(email)) ? [index] : []
  );
}
