import {
  copyFields,
  envelopeOf,
  type Message,
  messageIdOf,
  type Send,
  startOf,
} from "@posthaste/contracts";

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
    /** Its sender's address. Without it, any integration may be asked to make its next attempt. */
    from?: string | undefined;
  };

/** Returns the sender as messages have it that wait for an attempt. */
export function senderOf({ from }: Pick<MessageIdentity, "from">): Pick<Message, "from"> {
  return from === undefined ? {} : { from: from.toLowerCase() };
}

/** Returns which message a recipient's is; `null` if there is no such recipient. */
export function identityOf(send: Send, index: number): MessageIdentity | null {
  const recipient = send.request.to[index];
  if (recipient === undefined) return null;
  const { _id: sendId, accountId, integrationId, request } = send;
  return {
    messageId: messageIdOf(sendId, index),
    ...copyFields(envelopeOf(send.request, recipient), recipient.email),
    ...{ integration: `${accountId}/${integrationId}`, from: request.from.email },
    ...{ sendId, accountId, index, email: recipient.email, acceptedAt: startOf(send) },
  };
}
