import {
  envelopeOf,
  type GivenEnvelope,
  hasEnvelope,
  headerBytes,
  type Issue,
  isToSuppressed,
  MAX_COPIES_PER_SEND,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  mergeHeaders,
  type SendRequest,
  TOO_LONG_HEADERS,
  TOO_MANY_HEADERS,
} from "@posthaste/contracts";

/** The parts of a send that describe its mails, apart from their content. */
export interface EnvelopeRequest extends GivenEnvelope {
  to: readonly GivenEnvelope[];
}

/** Returns whether a send needs workers that support the envelope's fields, and files. */
export function needsEnvelope(request: SendRequest): boolean {
  return [request, ...request.to].some((given) => hasEnvelope(given) || given.files !== undefined);
}

/** Returns how many copies go out, over all mails of a send. */
export function countCopies(request: EnvelopeRequest): number {
  return request.to.reduce((sum, recipient) => {
    const { cc = [], bcc = [] } = envelopeOf(request, recipient) ?? {};
    return sum + cc.length + bcc.length;
  }, 0);
}

/** Returns how many mails go out although their recipient may be on the suppression list. */
export function countToSuppressed(request: EnvelopeRequest): number {
  return request.to.filter((recipient) => isToSuppressed(request, recipient)).length;
}

/**
 * Finds mails whose send and recipient together have too many or too long headers, and a send with
 * too many copies.
 */
export function findEnvelopeFaults(request: EnvelopeRequest): Issue[] {
  return [...findTooManyCopies(request), ...findTooManyHeaders(request)];
}

function findTooManyCopies(request: EnvelopeRequest): Issue[] {
  if (countCopies(request) <= MAX_COPIES_PER_SEND) return [];
  const message = `must not have more than ${MAX_COPIES_PER_SEND} addresses in cc and bcc together`;
  return [{ path: "to", code: "too_many_copies", message }];
}

function findTooManyHeaders({ headers: top, to }: EnvelopeRequest): Issue[] {
  if (top === undefined) return [];
  return to.flatMap(({ headers: own }, index): Issue[] => {
    if (own === undefined) return [];
    const merged = mergeHeaders(top, own);
    const path = `to.${index}.headers`;
    if (Object.keys(merged).length > MAX_HEADERS) return [{ path, ...TOO_MANY_HEADERS }];
    return headerBytes(merged) > MAX_HEADER_BYTES ? [{ path, ...TOO_LONG_HEADERS }] : [];
  });
}
