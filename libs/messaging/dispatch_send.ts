import {
  type EventData,
  MAX_EVENT_BYTES,
  type RequestedRecipient,
  type Send,
} from "@posthaste/contracts";
import type { Outgoing } from "./step.ts";

/** What of a send every dispatch of it says. */
export type Dispatchable =
  & Pick<
    Send,
    "_id" | "accountId" | "lane" | "acceptedAt" | "integrationId" | "template" | "pdfVersions"
  >
  & { from: Send["request"]["from"] };

/** Recipients that one event carries at most: so the renderers share a large send. */
export const RECIPIENTS_PER_EVENT = 50;

/** Messages that one repeated dispatch names at most. */
const AGAIN_PER_EVENT = 200;

// Room for the names of the fields, and for the commas between recipients.
const FRAME_BYTES = 1024;

/**
 * Makes the events that bring a just accepted send on its way: its recipients in parts, each with
 * all that is needed to render it. A part too large for one event names its messages instead, and
 * the renderer finds them in the ledger.
 */
export function dispatchesOf(send: Send): Outgoing[] {
  const { variables, to } = send.request;
  const head = headOf({ ...send, from: send.request.from });
  const room = MAX_EVENT_BYTES - FRAME_BYTES - sizeOf(head) - sizeOf(variables ?? {});
  const events: Outgoing[] = [];
  let part: RequestedRecipient[] = [];
  let weight = 0;
  const close = () => {
    if (part.length === 0) return;
    const data = { ...head, ...(variables ? { variables } : {}), recipients: part };
    events.push({ type: "send.requested", data });
    part = [];
    weight = 0;
  };
  for (const [index, recipient] of to.entries()) {
    const requested = { index, attempt: 0, ...recipient };
    const size = sizeOf(requested);
    if (size > room) {
      events.push({
        type: "send.requested",
        data: { ...head, again: [{ index, attempt: 0 }] },
      });
      continue;
    }
    if (weight + size > room || part.length === RECIPIENTS_PER_EVENT) close();
    part.push(requested);
    weight += size;
  }
  close();
  return events;
}

/** Makes the events that bring some messages of a send on their way once more. */
export function dispatchesAgain(
  send: Dispatchable,
  messages: { index: number; attempt: number }[],
): Outgoing[] {
  const events: Outgoing[] = [];
  for (let start = 0; start < messages.length; start += AGAIN_PER_EVENT) {
    const again = messages.slice(start, start + AGAIN_PER_EVENT)
      .map(({ index, attempt }) => ({ index, attempt }));
    events.push({ type: "send.requested", data: { ...headOf(send), again } });
  }
  return events;
}

function headOf(send: Dispatchable): EventData<"send.requested"> {
  return {
    v: 1,
    sendId: send._id,
    accountId: send.accountId,
    lane: send.lane,
    acceptedAt: send.acceptedAt.toISOString(),
    integrationId: send.integrationId,
    from: send.from,
    template: send.template,
    pdfVersions: send.pdfVersions,
  };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
