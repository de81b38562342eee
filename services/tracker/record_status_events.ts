import { randomName } from "@posthaste/runtime";
import { type MessageStatusData, parseMessageId } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import type { StatusEvent } from "@posthaste/messaging";
import type { AttemptOutcome, MessageIdentity, Recipients, StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import type { EventRecorder } from "./record_events.ts";

/** The dependencies of recording. */
export type RecordDeps =
  & Pick<EventRecorder, "recordTimelines">
  & StorePart<"registers.ledgerOf" | "waiting.postponeMessage" | "sends.findRecipients">
  & {
    logger: Pick<Logger, "warn">;
  };

type Failure = MessageStatusData<"status.message.failed">;
type Waiting = MessageStatusData<"status.message.waiting">;

/**
 * Records outcomes in the ledger: a message that must wait for a time is deferred, and one that failed before
 * it reached the mailer ends its attempt. The mailer writes its own outcomes. Idempotent.
 */
export async function recordStatusEvents(
  statusEvents: StatusEvent[],
  deps: RecordDeps,
): Promise<void> {
  const failures = statusEvents.flatMap(({ type, data }) =>
    type === "status.message.failed" && data.stage !== "mailer" ? [data] : []
  );
  const waiting = statusEvents.flatMap(({ type, data }) =>
    type === "status.message.waiting" ? [data] : []
  );
  const about = [...failures, ...waiting].map(({ sendId }) => sendId);
  const recipients = about.length === 0 ? new Map() : await deps.sends.findRecipients(about);
  const identified = <T extends Failure | Waiting>(found: T[]) =>
    found.map((statusEvent) => ({ statusEvent, message: identityOf(statusEvent, recipients) }));
  await Promise.all([
    ...identified(failures).map(({ statusEvent, message }) =>
      message && endFailed(statusEvent, message, deps)
    ),
    ...identified(waiting).map(({ statusEvent, message }) =>
      message && postpone(statusEvent, message, deps)
    ),
  ]);
  // Only now the ledger says whether a failure is the message's outcome.
  if (failures.length > 0) {
    await deps.recordTimelines({ messageIds: failures.map(({ messageId }) => messageId) });
  }
  const unknown = new Set(
    identified([...failures, ...waiting]).flatMap(({ statusEvent, message }) =>
      message === undefined ? [statusEvent.sendId] : []
    ),
  );
  for (const sendId of unknown) {
    deps.logger.warn("Unknown send in a status event", { sendId });
  }
}

/** Returns which message a status event is about; `undefined` if its send is not in the ledger. */
function identityOf(
  { messageId, sendId, accountId, index: given }: Failure | Waiting,
  recipients: ReadonlyMap<string, Recipients>,
): MessageIdentity | undefined {
  const index = parseMessageId(messageId)?.index ?? given;
  const send = recipients.get(sendId);
  const email = send?.accountId === accountId ? send.emails[index] : undefined;
  if (send === undefined || email === undefined) return undefined;
  const { acceptedAt, integrationId, from } = send;
  const integration = `${accountId}/${integrationId}`;
  return { messageId, sendId, accountId, integration, from, index, email, acceptedAt };
}

async function endFailed(
  failure: Failure,
  message: MessageIdentity,
  { registers: { ledgerOf } }: RecordDeps,
): Promise<void> {
  const by = randomName();
  const outcome = outcomeOf(failure);
  const ending = beginVoid({ n: failure.attempt + 1, by, outcome });
  await advance(ending, ledgerOf(message), { completes: () => true });
}

async function postpone(
  { attempt, reason, nextAt, at }: Waiting,
  message: MessageIdentity,
  { waiting: { postponeMessage } }: RecordDeps,
): Promise<void> {
  const times = { now: new Date(at), nextAt: new Date(nextAt) };
  await postponeMessage({ ...message, attempt, reason, ...times });
}

function outcomeOf({ reason, reply, at: text, attempt, durationMs }: Failure): AttemptOutcome {
  const at = new Date(text);
  const duration = durationMs === undefined ? {} : { durationMs };
  return {
    ...{ state: "failed", at, reason },
    ...(reply === undefined ? {} : { reply }),
    lines: [{ at, type: "failed", attempt, detail: reason, ...duration }],
  };
}
