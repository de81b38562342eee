import { envelopeOf, type GivenEnvelope, withoutEnvelope } from "./envelope.ts";
import type { RequestedRecipient, ResumedMessage } from "./events.ts";
import type { Recipient, SendRequest } from "./send_request.ts";

/**
 * Returns a recipient in the form for events and renderers; `undefined` if the request has none at the index.
 */
export function requestedRecipient(
  request: Pick<SendRequest, "to" | "files" | "locale"> & GivenEnvelope,
  { index, attempt }: ResumedMessage,
): RequestedRecipient | undefined {
  const recipient = request.to[index];
  if (recipient === undefined) return undefined;
  const { files: own = [], ...rest } = recipient;
  const files = [...own, ...request.files ?? []];
  const locale = localeOf(request, recipient);
  const envelope = envelopeOf(request, recipient);
  return {
    ...{ index, attempt },
    ...withoutEnvelope(rest),
    ...(envelope === undefined ? {} : { envelope }),
    ...(files.length === 0 ? {} : { files }),
    ...(locale === undefined ? {} : { locale }),
  };
}

/** Returns the language in which a recipient's mail is wanted: a BCP 47 tag, `undefined` if none is named. */
export function localeOf(
  request: Pick<SendRequest, "locale">,
  recipient: Pick<Recipient, "locale"> | undefined,
): string | undefined {
  return recipient?.locale ?? request.locale;
}
