import {
  envelopeOf,
  type Integration,
  isOneClick,
  SEND_WARNINGS,
  type SendRequest,
  type SendWarning,
  type SendWarningCode,
  signsForOf,
} from "@posthaste/contracts";

/** What a send is judged by, besides its request. */
export interface Warned {
  integration: Pick<Integration, "signsFor" | "dkim">;
  /** Recipients on the suppression list, as positions in `to`. */
  suppressed: readonly number[];
}

/** Returns the warnings for the caller of an accepted send. */
export function warningsOf(
  request: SendRequest,
  { integration, suppressed }: Warned,
): SendWarningCode[] {
  return [
    ...(isUnsigned(request, integration) ? ["unsigned_unsubscribe" as const] : []),
    ...(suppressed.length > 0 ? ["suppressed_recipients" as const] : []),
  ];
}

/** Returns warnings as answers show them; no field if there are none. */
export function warningFields(
  codes: readonly SendWarningCode[],
  suppressed: readonly number[],
): { warnings?: SendWarning[] } {
  if (codes.length === 0) return {};
  return {
    warnings: codes.map((code) => ({
      ...{ code, message: SEND_WARNINGS[code] },
      ...(code === "suppressed_recipients" ? { recipients: [...suppressed] } : {}),
    })),
  };
}

function isUnsigned(request: SendRequest, integration: Warned["integration"]): boolean {
  return signsForOf(integration) === null && request.to.some((recipient) => {
    const { listUnsubscribe } = envelopeOf(request, recipient) ?? {};
    return listUnsubscribe !== undefined && isOneClick(listUnsubscribe);
  });
}
