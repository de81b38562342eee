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

/** The fields of a send that each of its rendered messages contains, and the templates of the send. */
export type RequestHead = Omit<EventData<"send.requested">, "recipients" | "variables">;

/** Messages to render. */
export interface RenderWork {
  head: RequestHead;
  recipients: RequestedRecipient[];
  variables?: Variables;
}

/**
 * Returns the messages that an event requests, from itself or from the ledger; `undefined` if the ledger
 * lacks them.
 */
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
  const head: RequestHead = {
    // The dispatcher may not know the newer version.
    ...{ v: send.eventVersion ?? v, sendId, accountId, priority, from },
    ...(redelivered ? { redelivered } : {}),
    acceptedAt: startOf(send).toISOString(),
    ...routeOf(send, data.integrationId),
    ...(send.subjectKey === undefined ? {} : { subjectKey: send.subjectKey }),
    template: send.template,
    pdfVersions: send.pdfVersions,
  };
  return { head, recipients, ...(variables ? { variables } : {}) };
}

/** Returns which integration sends the messages, and in whose place if it is not the send's own. */
function routeOf({ integrationId: own }: Send, used: number = own) {
  return { integrationId: used, ...(used === own ? {} : { insteadOf: own }) };
}

/** Returns the ids of the messages that an event requests. */
export function messagesIn({ type, data }: Delivery<RenderEvent>): ResumedMessage[] {
  return type === "send.requested" ? data.recipients : data.again;
}
