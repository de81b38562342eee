import { copyFields, envelopeOf, parseMessageId } from "@posthaste/contracts";
import { advance, beginDot, beginVoid, type OutcomeState, replied } from "@posthaste/delivery";
import {
  type AttemptOutcome,
  type MessageIdentity,
  sealSubject,
  type StorePart,
} from "@posthaste/storage";

type Ledger = StorePart<"registers.ledgerOf" | "sends.load">;

/** An attempt that a test makes. */
export interface TestAttempt {
  messageId: string;
  /** Its number, from 1. */
  attempt: number;
  /** Stored encrypted, if its send has a key. */
  subject?: string;
}

/** The outcome that a test gives an attempt. */
export type TestOutcome =
  & TestAttempt
  & Partial<Omit<AttemptOutcome, "state">>
  & { at: Date; durationMs?: number };

/**
 * Takes the register of an attempt, as a mailer does when its server waits for the mail. Returns whether it
 * is free.
 */
export async function takeAttempt(
  store: Ledger,
  { messageId, attempt, subject }: TestAttempt,
): Promise<boolean> {
  const message = await identityOf(store, messageId, subject);
  const ledger = store.registers.ledgerOf(message, { waitMs: 900_000 });
  return (await advance(beginDot({ n: attempt, by: BY }), ledger)).phase === "dot";
}

/** Writes the outcome of an attempt that was taken. Returns whether the ledger has it now. */
export async function endAttempt(
  store: Ledger,
  state: OutcomeState,
  { messageId, attempt, subject, ...given }: TestOutcome,
): Promise<boolean> {
  const message = await identityOf(store, messageId, subject);
  const ending = await advance(
    replied<AttemptOutcome>({ n: attempt }, {
      outcome: outcomeOf(state, { ...given, attempt }),
      certainty: state === "sent" ? "accepted" : state === "unknown" ? "unknown" : "refused",
    }),
    store.registers.ledgerOf(message),
  );
  return ending.phase === "end" && ending.result === "written";
}

/** Takes the register of an attempt and ends it with an outcome before the dot. */
export async function voidAttempt(
  store: Ledger,
  state: OutcomeState,
  { messageId, attempt, subject, ...given }: TestOutcome,
): Promise<boolean> {
  const outcome = outcomeOf(state, { ...given, attempt });
  const message = await identityOf(store, messageId, subject);
  const ending = await advance(
    beginVoid({ n: attempt, by: `void ${BY}`, outcome }),
    store.registers.ledgerOf(message),
  );
  return ending.phase === "end" && ending.result === "written";
}

const BY = "a test's worker";

function outcomeOf(
  state: OutcomeState,
  { attempt, at, durationMs, lines, ...rest }: Omit<TestOutcome, "messageId" | "subject">,
): AttemptOutcome {
  const detail = rest.reason ?? rest.reply?.response;
  return {
    ...{ ...rest, state, at },
    ...(state === "unknown" ? { unknownAttempt: attempt } : {}),
    lines: lines ?? [{
      ...{ at, type: state, attempt },
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(detail === undefined ? {} : { detail }),
      ...(state === "unknown" ? { ambiguous: true } : {}),
    }],
  };
}

/** Returns the identity of a message. Without its send in the ledger it belongs to the account "acc_1". */
async function identityOf(
  store: Ledger,
  messageId: string,
  subject: string | undefined,
): Promise<MessageIdentity> {
  const { sendId = "", index = 0 } = parseMessageId(messageId) ?? {};
  const send = await store.sends.load(sendId);
  const recipient = send?.request.to[index];
  return {
    ...(send && recipient ? copyFields(envelopeOf(send.request, recipient), recipient.email) : {}),
    ...{ messageId, sendId, index },
    ...(subject === undefined || send?.subjectKey === undefined
      ? {}
      : { sealedSubject: sealSubject(subject, send.subjectKey) }),
    accountId: send?.accountId ?? "acc_1",
    integration: `${send?.accountId ?? "acc_1"}/${send?.integrationId ?? 1}`,
    email: recipient?.email ?? "r0@example.com",
    acceptedAt: send?.acceptedAt ?? new Date("2026-01-01T00:00:00Z"),
  };
}
