import {
  type GivenEnvelope,
  hasEnvelope,
  headerBytes,
  type Issue,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  mergeHeaders,
  TOO_LONG_HEADERS,
  TOO_MANY_HEADERS,
} from "@posthaste/contracts";

/** A send as far as it says more of its mails than their content. */
export interface EnvelopeRequest extends GivenEnvelope {
  to: readonly GivenEnvelope[];
}

/** Returns whether a send needs workers that know the fields of the envelope. */
export function needsEnvelope(request: EnvelopeRequest): boolean {
  return hasEnvelope(request) || request.to.some(hasEnvelope);
}

/** Finds mails that have too much of what a send and a recipient may each say. */
export function findEnvelopeFaults({ headers: top, to }: EnvelopeRequest): Issue[] {
  if (top === undefined) return [];
  return to.flatMap(({ headers: own }, index): Issue[] => {
    if (own === undefined) return [];
    const merged = mergeHeaders(top, own);
    const path = `to.${index}.headers`;
    if (Object.keys(merged).length > MAX_HEADERS) return [{ path, ...TOO_MANY_HEADERS }];
    return headerBytes(merged) > MAX_HEADER_BYTES ? [{ path, ...TOO_LONG_HEADERS }] : [];
  });
}
