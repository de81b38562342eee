import { copyFields, envelopeOf, type Message, messageIdOf, type Send } from "@posthaste/contracts";

/** Which message an outcome is of: all that its document says besides. */
export type MessageIdentity =
  & Pick<
    Message,
    "sendId" | "accountId" | "index" | "email" | "copies" | "sealedSubject" | "acceptedAt"
  >
  & {
    messageId: string;
    /** `_id` of its integration. */
    integration: string;
  };

/** Returns which message a recipient's is; `null` if there is no such recipient. */
export function identityOf(send: Send, index: number): MessageIdentity | null {
  const recipient = send.request.to[index];
  if (recipient === undefined) return null;
  const { _id: sendId, accountId, acceptedAt, integrationId } = send;
  return {
    messageId: messageIdOf(sendId, index),
    ...copyFields(envelopeOf(send.request, recipient), recipient.email),
    integration: `${accountId}/${integrationId}`,
    ...{ sendId, accountId, index, email: recipient.email, acceptedAt },
  };
}
