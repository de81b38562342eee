import {
  envelopeOf,
  type Integration,
  isOneClick,
  type SendRequest,
  type SendWarningCode,
  signsForOf,
} from "@posthaste/contracts";

/** Returns the warnings for the caller of an accepted send. */
export function warningsOf(
  request: SendRequest,
  integration: Pick<Integration, "signsFor" | "dkim">,
): SendWarningCode[] {
  if (signsForOf(integration) !== null) return [];
  const isUnsigned = request.to.some((recipient) => {
    const { listUnsubscribe } = envelopeOf(request, recipient) ?? {};
    return listUnsubscribe !== undefined && isOneClick(listUnsubscribe);
  });
  return isUnsigned ? ["unsigned_unsubscribe"] : [];
}
