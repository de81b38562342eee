import { LOCALE_QUERY } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { httpErrorOf } from "./fault.ts";
import type { RequestStore } from "./request_store.ts";

/** A request to render, in the language that its query names. */
export interface WantedLocale {
  accountId: string;
  /** As in the URL, unchecked. */
  query: unknown;
  /** What fails. */
  action: string;
}

/**
 * Returns the language that a request to render wants: its own, else that of the account; `undefined` if there is
 * none.
 *
 * @throws {HttpError} `invalid_request`
 */
export async function wantedLocale(
  { accountId, query, action }: WantedLocale,
  store: Pick<RequestStore, "accountLocale">,
): Promise<string | undefined> {
  const { data, error } = LOCALE_QUERY.safeParse(query, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(action, bodyIssues(error));
  return data.locale ?? await store.accountLocale(accountId);
}
