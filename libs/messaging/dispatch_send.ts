import {
  EVENT_VERSION,
  MAX_EVENT_BYTES,
  MAX_MESSAGES_PER_EVENT,
  requestedRecipient,
  RESUMED_PER_EVENT,
  type ResumedMessage,
  type Send,
} from "@posthaste/contracts";
import type { Bus } from "./bus.ts";
import { jsonBytes, splitBySize } from "./split_by_size.ts";
import type { Outgoing } from "./step.ts";

/** What a dispatch by reference says of its send. */
export type SendReference = Pick<Send, "_id" | "accountId" | "priority" | "eventVersion">;

/** A dispatch by reference. */
export type Resumption = Extract<Outgoing, { type: "send.resumed" }>;

/** Limit for messages with PDFs: each carries pages of text, and printers share them. */
const MAX_PRINTED_PER_EVENT = 5;

/** Returns the maximum number of messages of one event, so that workers share a large send. */
export function messagesPerEvent(hasPdfs: boolean): number {
  return hasPdfs ? MAX_PRINTED_PER_EVENT : MAX_MESSAGES_PER_EVENT;
}

// Room for the names of the fields, and for the commas between recipients.
const FRAME_BYTES = 1024;

/**
 * Returns the events that dispatch an accepted send: its recipients in parts, each with everything that
 * rendering needs. A part too large for one event names its messages instead, and the renderer reads them
 * from the ledger.
 */
export function dispatchesOf(send: Send): Outgoing[] {
  const { variables, to } = send.request;
  const head = headOf(send);
  const remaining = MAX_EVENT_BYTES - FRAME_BYTES - jsonBytes(head) - jsonBytes(variables ?? {});
  const hasPdfs = to.some(({ attachments }) => attachments?.length);
  const requested = to.flatMap((_, index) =>
    requestedRecipient(send.request, { index, attempt: 0 }) ?? []
  );
  return splitBySize(requested, { maxCount: messagesPerEvent(hasPdfs), maxBytes: remaining })
    .flatMap((recipients): Outgoing[] => {
      const [first] = recipients;
      // A recipient that is too large for any event travels by its index.
      if (recipients.length === 1 && first !== undefined && jsonBytes(first) >= remaining) {
        return redispatchesOf(send, recipients);
      }
      const data = { ...head, ...(variables ? { variables } : {}), recipients };
      return [{ type: "send.requested", data }];
    });
}

/**
 * Dispatches an accepted send.
 *
 * @throws If the broker did not take all of it: what it lacks, the reconciler dispatches.
 */
export async function dispatchSend(bus: Pick<Bus, "publish">, send: Send): Promise<void> {
  await Promise.all(
    dispatchesOf(send).map((event, part) => bus.publish(event, { id: `${send._id}.${part}` })),
  );
}

/**
 * Returns the events that redispatch some messages of a send.
 *
 * @param options `redelivered`: some may have been sent meanwhile, which a mailer is to look up.
 * `integrationId`: the integration that sends them, if not the send's own. `perEvent`: the most messages of one
 * event.
 */
export function redispatchesOf(
  { _id, accountId, priority, eventVersion = EVENT_VERSION }: SendReference,
  messages: readonly ResumedMessage[],
  { redelivered = false, integrationId, perEvent = RESUMED_PER_EVENT }: {
    redelivered?: boolean;
    integrationId?: number | undefined;
    perEvent?: number;
  } = {},
): Resumption[] {
  const events: Resumption[] = [];
  for (let start = 0; start < messages.length; start += perEvent) {
    const again = messages.slice(start, start + perEvent)
      .map(({ index, attempt }) => ({ index, attempt }));
    events.push({
      type: "send.resumed",
      data: {
        ...{ v: eventVersion, sendId: _id, accountId, priority, again },
        ...(redelivered ? { redelivered } : {}),
        ...(integrationId === undefined ? {} : { integrationId }),
      },
    });
  }
  return events;
}

function headOf(send: Send) {
  return {
    v: send.eventVersion ?? EVENT_VERSION,
    sendId: send._id,
    accountId: send.accountId,
    priority: send.priority,
    acceptedAt: send.acceptedAt.toISOString(),
    integrationId: send.integrationId,
    from: send.request.from,
    ...(send.subjectKey === undefined ? {} : { subjectKey: send.subjectKey }),
    template: send.template,
    pdfVersions: send.pdfVersions,
  };
}
