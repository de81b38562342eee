import {
  type EventData,
  type RequestedRecipient,
  requestedRecipient,
  type ResumedMessage,
  type Send,
  startOf,
  type Variables,
} from "@posthaste/contracts";
import type { Delivery } from "@posthaste/messaging";

/** Events that ask for messages to be rendered. */
export type RenderEvent = "send.requested" | "send.resumed";

/** What of a send each of its rendered messages says, and which templates it takes. */
export type SendHead = Omit<EventData<"send.requested">, "recipients" | "variables">;

/** What there is to render. */
export interface RenderWork {
  head: SendHead;
  recipients: RequestedRecipient[];
  variables?: Variables;
}

/** Finds what an event asks for, in itself or in the ledger; `undefined` if the ledger lacks it. */
export async function workOf(
  { type, data }: Delivery<RenderEvent>,
  loadSend: (id: string) => Promise<Send | null>,
): Promise<RenderWork | undefined> {
  if (type === "send.requested") {
    const { recipients, variables, ...head } = data;
    return { head, recipients, ...(variables ? { variables } : {}) };
  }
  const send = await loadSend(data.sendId);
  if (send === null) return undefined;
  const { from, variables } = send.request;
  const recipients = data.again.flatMap((message) =>
    requestedRecipient(send.request, message) ?? []
  );
  const { v, sendId, accountId, priority, redelivered } = data;
  const head: SendHead = {
    // Who dispatched it may not know the newer version.
    ...{ v: send.eventVersion ?? v, sendId, accountId, priority, from },
    ...(redelivered ? { redelivered } : {}),
    acceptedAt: startOf(send).toISOString(),
    integrationId: send.integrationId,
    template: send.template,
    pdfVersions: send.pdfVersions,
  };
  return { head, recipients, ...(variables ? { variables } : {}) };
}

/** Names the messages that an event asks for. */
export function messagesIn({ type, data }: Delivery<RenderEvent>): ResumedMessage[] {
  return type === "send.requested" ? data.recipients : data.again;
}
