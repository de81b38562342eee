import type { EventMessage } from "./_event_message.ts";
import { TAIL_HEADER } from "./_headers.ts";
import {
  EVENT_VERSION,
  EVENTS,
  type EventType,
  isSendId,
  MAX_RECIPIENT_INDEX,
  newestVersionOf,
  REPLIES,
} from "@posthaste/contracts";
import { failuresOf, reportsOf } from "./report_status_events.ts";
import type { Delivery, Outgoing } from "./step.ts";
import { isWhole } from "./tail.ts";
import { typeOfSubject } from "./topology.ts";

/** An event, or the reason why it cannot be read, with what is known of it. */
export type ReadEvent<T extends EventType> =
  | { ok: true; delivery: Delivery<T> }
  | { ok: false; refusal: Rejection };

/** Why an event cannot be read. */
export interface Rejection {
  reason: string;
  /** `newer`: another process may know its version. `older`: it is from before an upgrade. */
  kind: "malformed" | "newer" | "older";
  /** Failures of its messages, as far as the event names them. */
  failures: Outgoing[];
}

/** Reads an event and compares it with its schema. */
export function readEvent<T extends EventType>(
  message: Pick<EventMessage, "subject" | "data" | "headers">,
): ReadEvent<T> {
  const type = typeOfSubject(message.subject);
  if (type === undefined || !Object.hasOwn(EVENTS, type)) return refused("its subject is unknown");
  const { json, tail } = partsOf(message);
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(json).toString());
  } catch {
    return refused("it is not JSON");
  }
  const result = EVENTS[type].safeParse(body);
  if (result.success) {
    const data = result.data;
    if ("messages" in data && !isWhole(data.messages, tail)) {
      return refused("its tail is too short", { work: data });
    }
    return { ok: true, delivery: { type, data, ...(tail ? { tail } : {}) } as Delivery<T> };
  }
  // The ledger has the messages of an event of another version. They are redispatched, so none has failed.
  const version = isRecord(body) ? body["v"] : undefined;
  const newest = newestVersionOf(type);
  if (typeof version === "number" && version > newest) {
    return refused(`its version ${version} is newer than ${newest}`, { kind: "newer" });
  }
  if (typeof version === "number" && version < EVENT_VERSION) {
    return refused(`its version ${version} is older than ${EVENT_VERSION}`, { kind: "older" });
  }
  // A question about a message does not work on it, so nothing has failed.
  const work = Object.hasOwn(REPLIES, type) ? undefined : body;
  const place = result.error.issues[0]?.path.join(".");
  return refused(`${place ? `"${place}"` : "it"} does not match its schema`, { work });
}

/** Splits the bytes of an event into its JSON and, if the header says so, its tail. */
export function partsOf(
  { data, headers }: Pick<EventMessage, "data" | "headers">,
): { json: Uint8Array; tail?: Uint8Array } {
  const bytes = Number(headers?.get(TAIL_HEADER) || 0);
  if (!(bytes > 0 && bytes <= data.length)) return { json: data };
  const at = data.length - bytes;
  return { json: data.subarray(0, at), tail: data.subarray(at) };
}

function refused(
  reason: string,
  { work, kind = "malformed" }: { work?: unknown; kind?: Rejection["kind"] } = {},
): { ok: false; refusal: Rejection } {
  return { ok: false, refusal: { reason, kind, failures: failuresIn(work, reason) } };
}

/** Reports the messages of an event as failed. */
function failuresIn(work: unknown, reason: string): Outgoing[] {
  if (!isRecord(work)) return [];
  const { sendId, accountId } = work;
  if (typeof sendId !== "string" || !isSendId(sendId) || typeof accountId !== "string") return [];
  return reportsOf(failuresOf({ sendId, accountId }, messagesIn(work), {
    stage: "pipeline",
    reason: `An event of the message could not be read: ${reason}`,
    at: new Date(),
  }));
}

/** An event of the pipeline lists the messages that it is about. */
function messagesIn(work: Record<string, unknown>) {
  const lists = [work["messages"], work["recipients"], work["again"]];
  const listed = lists.find(Array.isArray) as unknown[] | undefined;
  return (listed ?? []).flatMap((entry) => {
    if (!isRecord(entry) || !isCount(entry["index"]) || entry["index"] > MAX_RECIPIENT_INDEX) {
      return [];
    }
    return { index: entry["index"], attempt: isCount(entry["attempt"]) ? entry["attempt"] : 0 };
  });
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && value as number >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
