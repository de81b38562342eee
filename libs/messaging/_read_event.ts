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
  if (Object.hasOwn(REPLIES, type)) body = { v: isRecord(body) ? body["v"] : undefined };
  const version = isRecord(body) ? body["v"] : undefined;
  if (typeof version === "number" && version > EVENT_VERSION) {
    const reason = `its version ${version} is newer than ${EVENT_VERSION}`;
    return refused(reason, { body, isNewer: true });
  }
  const place = result.error.issues[0]?.path.join(".");
  return refused(`${place ? `"${place}"` : "it"} does not match its schema`, { body });
}

function refused(
  reason: string,
  { body, isNewer = false }: { body?: unknown; isNewer?: boolean } = {},
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { reason, isNewer, failures: failuresIn(body, reason) } };
}

function failuresIn(body: unknown, reason: string): Outgoing[] {
  if (!isRecord(body)) return [];
  const { sendId, accountId } = body;
  if (typeof sendId !== "string" || !isSendId(sendId) || typeof accountId !== "string") return [];
  return messagesIn(body).map(({ index, attempt }) => {
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
function messagesIn(body: Record<string, unknown>) {
  const listed = [body["recipients"], body["again"]].find(Array.isArray) as unknown[] | undefined;
  return (listed ?? [body]).flatMap((entry) => {
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
