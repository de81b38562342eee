import { randomName } from "@posthaste/runtime";
import type { MessageStatusData } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import type { StatusEvent } from "@posthaste/messaging";
import type { AttemptOutcome, MessageIdentity, StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import type { EventRecorder } from "./record_events.ts";

/** The dependencies of recording. */
export type RecordDeps =
  & Pick<EventRecorder, "recordTimelines">
  & StorePart<"registers.ledgerOf" | "waiting.postponeMessage" | "sends.identify">
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
  const about = [...failures, ...waiting].map(({ messageId }) => messageId);
  const identities = await deps.sends.identify(about);
  const identified = <T extends Failure | Waiting>(found: T[]) =>
    found.map((statusEvent) => {
      const message = identities.get(statusEvent.messageId);
      const isOwn = message?.accountId === statusEvent.accountId;
      return { statusEvent, message: isOwn ? message : undefined };
    });
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
