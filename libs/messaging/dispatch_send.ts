import {
  MAX_EVENT_BYTES,
  type RequestedRecipient,
  RESUMED_PER_EVENT,
  type ResumedMessage,
  type Send,
} from "@posthaste/contracts";
import type { Bus } from "./bus.ts";
import type { Outgoing } from "./step.ts";

/** What a dispatch by reference says of its send. */
export type SendReference = Pick<Send, "_id" | "accountId" | "lane">;

/** A dispatch by reference. */
export type Resumption = Extract<Outgoing, { type: "send.resumed" }>;

/** Recipients that one event carries at most: so the renderers share a large send. */
export const RECIPIENTS_PER_EVENT = 50;

/** One with PDFs counts as so many: each carries pages of text, and they are queued all at once. */
const PLACES_WITH_PDFS = 5;

// Room for the names of the fields, and for the commas between recipients.
const FRAME_BYTES = 1024;

/**
 * Makes the events that bring a just accepted send on its way: its recipients in parts, each with
 * all that is needed to render it. A part too large for one event names its messages instead, and
 * the renderer finds them in the ledger.
 */
export function dispatchesOf(send: Send): Outgoing[] {
  const { variables, to } = send.request;
  const head = headOf(send);
  const room = MAX_EVENT_BYTES - FRAME_BYTES - sizeOf(head) - sizeOf(variables ?? {});
  const events: Outgoing[] = [];
  let part: RequestedRecipient[] = [];
  let weight = 0;
  let places = 0;
  const close = () => {
    if (part.length === 0) return;
    const data = { ...head, ...(variables ? { variables } : {}), recipients: part };
    events.push({ type: "send.requested", data });
    part = [];
    weight = 0;
    places = 0;
  };
  for (const [index, recipient] of to.entries()) {
    const requested = { index, attempt: 0, ...recipient };
    const size = sizeOf(requested);
    if (size > room) {
      events.push(...dispatchesAgain(send, [{ index, attempt: 0 }]));
      continue;
    }
    const taken = recipient.attachments?.length ? PLACES_WITH_PDFS : 1;
    if (weight + size > room || places + taken > RECIPIENTS_PER_EVENT) close();
    part.push(requested);
    weight += size;
    places += taken;
  }
  close();
  return events;
}

/**
 * Brings a just accepted send on its way, and makes it known. One that waits for room is only made known.
 *
 * @throws If the broker did not take all of it: what it lacks, the sweeper dispatches.
 */
export async function dispatchSend(bus: Pick<Bus, "publish">, send: Send): Promise<void> {
  const { _id: sendId, accountId, acceptedAt, messageCount: recipients } = send;
  const at = acceptedAt.toISOString();
  const data = { v: 1 as const, sendId, accountId, at, recipients };
  await Promise.all([
    ...(send.next === undefined ? dispatchesOf(send) : []).map((event, part) =>
      bus.publish(event, { id: `${sendId}.${part}` })
    ),
    bus.publish({ type: "fact.send.accepted", data }, { id: sendId }),
  ]);
}

/** Makes the events that bring some messages of a send on their way once more. */
export function dispatchesAgain(
  { _id, accountId, lane }: SendReference,
  messages: readonly ResumedMessage[],
): Resumption[] {
  const events: Resumption[] = [];
  for (let start = 0; start < messages.length; start += RESUMED_PER_EVENT) {
    const again = messages.slice(start, start + RESUMED_PER_EVENT)
      .map(({ index, attempt }) => ({ index, attempt }));
    events.push({ type: "send.resumed", data: { v: 1, sendId: _id, accountId, lane, again } });
  }
  return events;
}

function headOf(send: Send) {
  return {
    v: 1 as const,
    sendId: send._id,
    accountId: send.accountId,
    lane: send.lane,
    acceptedAt: send.acceptedAt.toISOString(),
    integrationId: send.integrationId,
    from: send.request.from,
    template: send.template,
    pdfVersions: send.pdfVersions,
  };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
