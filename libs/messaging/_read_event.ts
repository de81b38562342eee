import type { JsMsg } from "@nats-io/jetstream";
import {
  EVENT_VERSION,
  type EventData,
  EVENTS,
  type EventType,
  isSendId,
  MAX_RECIPIENT_INDEX,
  messageIdOf,
  REPLIES,
} from "@posthaste/contracts";
import type { Delivery, Outgoing } from "./step.ts";
import { typeOfSubject } from "./topology.ts";

/** An event, or why it cannot be read and what can be told of it. */
export type ReadEvent<T extends EventType> =
  | { ok: true; delivery: Delivery<T> }
  | { ok: false; refusal: Refusal };

/** Why an event cannot be read. */
export interface Refusal {
  reason: string;
  /** Whether it is newer than this process: another one may know it. */
  isNewer: boolean;
  /** That its messages failed, as far as it tells which they are. */
  failures: Outgoing[];
}

/** Reads an event and compares it with its schema. */
export function readEvent<T extends EventType>(
  message: Pick<JsMsg, "subject" | "json">,
): ReadEvent<T> {
  const type = typeOfSubject(message.subject);
  if (type === undefined || !Object.hasOwn(EVENTS, type)) return refused("its subject is unknown");
  let body: unknown;
  try {
    body = message.json();
  } catch {
    return refused("it is not JSON");
  }
  const result = EVENTS[type].safeParse(body);
  if (result.success) return { ok: true, delivery: { type, data: result.data } as Delivery<T> };
  // A question about a message is no work on it: nothing has failed.
  const work = Object.hasOwn(REPLIES, type) ? undefined : body;
  const version = isRecord(body) ? body["v"] : undefined;
  if (typeof version === "number" && version > EVENT_VERSION) {
    const reason = `its version ${version} is newer than ${EVENT_VERSION}`;
    return refused(reason, { work, isNewer: true });
  }
  const place = result.error.issues[0]?.path.join(".");
  return refused(`${place ? `"${place}"` : "it"} does not match its schema`, { work });
}

function refused(
  reason: string,
  { work, isNewer = false }: { work?: unknown; isNewer?: boolean } = {},
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { reason, isNewer, failures: failuresIn(work, reason) } };
}

/** Tells that the messages failed which an event would have had worked on. */
function failuresIn(work: unknown, reason: string): Outgoing[] {
  if (!isRecord(work)) return [];
  const { sendId, accountId } = work;
  if (typeof sendId !== "string" || !isSendId(sendId) || typeof accountId !== "string") return [];
  return messagesIn(work).map(({ index, attempt }) => {
    const data: EventData<"fact.message.failed"> = {
      ...{ v: EVENT_VERSION, sendId, accountId, index, attempt },
      messageId: messageIdOf(sendId, index),
      at: new Date().toISOString(),
      stage: "pipeline",
      reason: `An event on its way could not be read: ${reason}`,
    };
    return { type: "fact.message.failed", data };
  });
}

/** An event is about one message, or it lists several. */
function messagesIn(work: Record<string, unknown>) {
  const listed = [work["recipients"], work["again"]].find(Array.isArray) as unknown[] | undefined;
  return (listed ?? [work]).flatMap((entry) => {
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
