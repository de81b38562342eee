import { copyFields, type Message } from "@posthaste/contracts";
import { type MessageIdentity, sealSubject, type StorePart } from "@posthaste/storage";
import { type AttemptDeps, isStale, openAttempt } from "./attempt.ts";
import type { ReadyMessage } from "./compose_message.ts";
import type { Work } from "./end_attempt.ts";

/** The dependencies of beginning work on a message. */
export type BeginDeps = AttemptDeps & StorePart<"messages.find">;

/** Opens the next attempt of a message. Nothing is written yet. */
export function beginWork(message: ReadyMessage, deps: AttemptDeps): Work {
  const which = { n: message.attempt + 1, fallback: fallbackOf(message) };
  const attempt = openAttempt(identityOf(message), which, deps);
  return { message, attempt, begunAt: deps.now() };
}

/** Returns the number of the integration that makes the attempt, if it is not the send's own. */
export function fallbackOf({ integrationId, insteadOf }: ReadyMessage): number | undefined {
  return insteadOf === undefined ? undefined : integrationId;
}

/** Returns the id of the integration of the send: a message belongs to it, whichever one sends it. */
export function ownKeyOf({ accountId, integrationId, insteadOf }: ReadyMessage): string {
  return `${accountId}/${insteadOf ?? integrationId}`;
}

function identityOf(message: ReadyMessage): MessageIdentity {
  const { messageId, sendId, accountId, index, from, to, acceptedAt, envelope } = message;
  const { subject, subjectKey } = message;
  return {
    ...(subject === "" || subjectKey === undefined
      ? {}
      : { sealedSubject: sealSubject(subject, subjectKey) }),
    ...copyFields(envelope, to.email),
    ...{ messageId, sendId, accountId, index },
    integration: ownKeyOf(message),
    ...{ email: to.email, from: from.email },
    acceptedAt: new Date(acceptedAt),
  };
}

/**
 * Returns a message as its earlier attempts left it; `undefined` at the first attempt, and `null` if it has
 * changed since, or was removed with its send.
 */
export async function findEarlier(
  message: ReadyMessage,
  deps: BeginDeps,
): Promise<Message | null | undefined> {
  const { accountId, messageId, attempt } = message;
  if (attempt === 0 && !isTooOld(message, deps)) return undefined;
  const earlier = await deps.messages.find(accountId, messageId);
  return earlier === null || !isOpen(earlier, attempt) ? null : earlier;
}

/** Returns whether this is a first attempt whose event may not complete a mail any more. */
export function isTooOld(
  { attempt, acceptedAt }: Pick<ReadyMessage, "attempt" | "acceptedAt">,
  { now }: Pick<BeginDeps, "now">,
): boolean {
  return attempt === 0 && isStale({ acceptedAt: new Date(acceptedAt) }, now());
}

/** Returns whether an attempt, by the number of those before it, is still to be made. */
function isOpen({ attempt: made, state }: Message, attempt: number): boolean {
  // One that had to wait for its images is deferred without an attempt.
  return made === attempt && (state === "deferred" || attempt === 0 && state === "queued");
}
