import type { Suppression } from "@posthaste/contracts";
import { failpoint } from "@posthaste/runtime";
import { type BeginDeps, beginWork, findEarlier } from "./begin_work.ts";
import type { ReadyMessage } from "./compose_message.ts";
import {
  type AttemptResult,
  drop,
  endAttempt,
  type EndDeps,
  mailerFieldsOf,
} from "./end_attempt.ts";

/** The dependencies of ending a message that is not sent. */
export type UnsentDeps = EndDeps & BeginDeps;

/** A message that can never be sent fails without having been tried. */
export async function failUnsent(
  message: ReadyMessage,
  deps: UnsentDeps,
  reason: string,
): Promise<"ended"> {
  return await endAttempt(beginWork(message, deps), deps, { state: "failed", reason });
}

/** Ends a message whose recipient is suppressed. Nothing is sent. */
export async function suppress(
  message: ReadyMessage,
  { reason: why, reply }: Suppression,
  deps: UnsentDeps,
): Promise<"ended"> {
  const codes = [reply?.code, reply?.enhanced].filter((part) => part !== undefined).join(" ");
  const cause = why === "hard_refusal" ? `: a server refused it (${codes})` : "";
  const reason = `The address is on the suppression list${cause}`;
  return await endIfOpen(message, deps, { state: "suppressed", reason });
}

/** Defers a first attempt that is too old to complete its mail: no server need see it. Its next event is a new one. */
export async function deferTooOld(message: ReadyMessage, deps: UnsentDeps): Promise<"ended"> {
  const reason = "Its event was too old: a new one sends it";
  return await endIfOpen(message, deps, { state: "deferred", reason, nextAt: deps.now() });
}

async function endIfOpen(
  message: ReadyMessage,
  deps: UnsentDeps,
  result: AttemptResult,
): Promise<"ended"> {
  if (await findEarlier(message, deps) === null) return await drop(message, deps);
  return await endAttempt(beginWork(message, deps), deps, result);
}

/** Returns an untried message to the scheduler. It fails there if it has waited too long. */
export async function returnUntried(message: ReadyMessage, deps: UnsentDeps): Promise<"ended"> {
  const { acceptedAt, insteadOf } = message;
  failpoint("mailer.before_return");
  await deps.report({
    type: "status.message.returned",
    data: {
      ...mailerFieldsOf(message, message.attempt, deps.now()),
      acceptedAt,
      ...(insteadOf ? { insteadOf } : {}),
    },
  });
  failpoint("mailer.after_return");
  return "ended";
}
