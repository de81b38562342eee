import { isToSuppressed, type SendRequest } from "@posthaste/contracts";
import { suppressedFormOf } from "@posthaste/storage";
import type { Finding } from "./finding.ts";
import type { RequestLedger } from "./request_ledger.ts";

/** What {@linkcode findSuppressed} needs. */
export interface FindSuppressedDeps extends Pick<Finding, "amongSuppressed"> {
  ledger: Pick<RequestLedger, "wait">;
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
  { amongSuppressed, ledger, now }: FindSuppressedDeps,
): Promise<number[]> {
  const asked = request.to.map((recipient, index) => ({ index, recipient }))
    .filter(({ recipient }) => !isToSuppressed(request, recipient));
  if (asked.length === 0) return [];
  const emails = asked.map(({ recipient: { email } }) => email);
  const looking = ledger.wait(
    "look up the suppressions",
    () => amongSuppressed(accountId, emails, now()),
  );
  const found = await unlessLate(looking);
  return asked.flatMap(({ index, recipient: { email } }) =>
    found?.has(suppressedFormOf(email)) ? [index] : []
  );
}

/** Returns nothing if a look-up fails or is late. */
async function unlessLate<T>(looking: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), MAX_WAIT_MS);
  try {
    return await Promise.race([looking.catch(() => undefined), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
