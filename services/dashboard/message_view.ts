import {
  type Integration,
  type Message,
  type MessageState,
  RETRYABLE_STATES,
  type Send,
  type Suppression,
  type Template,
  type TimelineEntry,
} from "@posthaste/contracts";
import {
  CANCELABLE_STATES,
  type FoundMessage,
  type MessagePlace,
  openSubject,
  type StorePart,
} from "@posthaste/storage";
import { suppressionViewOf } from "./suppression_view.ts";
import type { MessageRow, MessageView, TimelineStep } from "./interface/messages.ts";

/** A message with all that it refers to. */
export interface KnownMessage {
  message: Message;
  send: Send;
  template: Template | null;
  integration: Integration | null;
  /** Names of the PDF templates of its attachments, by id. */
  pdfNames: ReadonlyMap<number, string>;
  contentDays: number;
  /** The tag of its language variant; null for the template's own body. */
  variant: string | null;
  /** Set if it waits for its integration. */
  place?: MessagePlace | undefined;
  /** Set if its address is suppressed now. */
  suppression?: Suppression | undefined;
  now: Date;
}

/** Returns a line of the list. */
export function rowOf({ send, ...message }: FoundMessage, place?: MessagePlace): MessageRow {
  const { _id: id, sendId, email, state, attempt, reason, reply, waitsFor } = message;
  const { hasPdfs, subject } = message;
  return {
    ...{ id, sendId, email, state, attempt, reason, reply, hasPdfs, subject },
    acceptedAt: message.acceptedAt.toISOString(),
    finishedAt: message.finishedAt?.toISOString() ?? null,
    nextAt: message.nextAt?.toISOString() ?? null,
    isWaiting: typeof waitsFor === "string",
    waiting: place ?? null,
    templateId: send.template.id,
    integrationId: send.integrationId,
    recipients: send.messageCount,
  };
}

/** Returns lines of the list, with their places in line. */
export async function rowsOf(
  accountId: string,
  messages: readonly FoundMessage[],
  { messages: { findPlaces } }: StorePart<"messages.findPlaces">,
): Promise<MessageRow[]> {
  const places = await findPlaces(accountId, messages);
  return messages.map((message) => rowOf(message, places.get(message._id)));
}

/** Returns a message in full. */
export function messageViewOf(known: KnownMessage): MessageView {
  const { message, send, template, integration, variant, contentDays, now } = known;
  const { request, contentRemovedAt } = send;
  const recipient = request.to[message.index];
  const { attachments = [] } = recipient ?? {};
  const end = message.finishedAt ?? now;
  const subject = openSubject(message.sealedSubject, send.subjectKey);
  const shown = { hasPdfs: attachments.length > 0, subject };
  return {
    ...rowOf({ ...message, ...shown, send }, known.place),
    attempt: Math.max(0, ...message.timeline.map(({ attempt }) => attempt)),
    name: recipient?.name ?? null,
    from: request.from,
    template: { ...send.template, name: template?.name ?? null },
    integration: {
      id: send.integrationId,
      name: integration?.name ?? null,
      host: integration?.host ?? null,
    },
    attachments: attachments.map(({ id, filename }) => ({
      ...{ id, version: send.pdfVersions[id] ?? null, name: known.pdfNames.get(id) ?? null },
      filename: filename ?? null,
    })),
    variant,
    tookMs: Math.max(0, end.getTime() - message.acceptedAt.getTime()),
    timeline: stepsOf(message.timeline),
    traceId: traceIdOf(send.trace),
    contentRemovedAt: contentRemovedAt?.toISOString() ?? null,
    contentDays,
    suppression: known.suppression === undefined
      ? null
      : suppressionViewOf({ ...known.suppression, email: message.email }),
    canRetry: contentRemovedAt === undefined && isOneOf(message.state, RETRYABLE_STATES),
    canCancel: isOneOf(message.state, CANCELABLE_STATES),
  };
}

/** Returns the trace id of a W3C `traceparent`. */
export function traceIdOf(traceparent: string | undefined): string | null {
  return traceparent?.split("-")[1] ?? null;
}

function stepsOf(timeline: TimelineEntry[]): TimelineStep[] {
  return timeline.map((line, position) => {
    const { at, type, attempt, durationMs, detail, warning, ambiguous, ...more } = line;
    const { integrationId, ...unseen } = more;
    const before = timeline[position - 1]?.at;
    return {
      ...{ at: at.toISOString(), type, attempt },
      durationMs: durationMs ?? null,
      sinceMs: before === undefined ? null : at.getTime() - before.getTime(),
      detail: detail ?? null,
      warning: warning ?? null,
      isAmbiguous: ambiguous ?? false,
      ...(integrationId === undefined ? {} : { integrationId }),
      // The compiler refuses a further field of a line until people see it, too.
      ...(unseen satisfies Record<string, never>),
    };
  });
}

function isOneOf(state: MessageState, states: readonly MessageState[]): boolean {
  return states.includes(state);
}
