import { randomName } from "@posthaste/runtime";
import { messageIdOf } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import type { Outgoing } from "@posthaste/messaging";
import type { AttemptOutcome, SendHead, StorePart, WaitingSend } from "@posthaste/storage";
import { statusEventsOf } from "./status_events_of.ts";
import { writeAll } from "./write_all.ts";

/** The dependencies of failing messages. */
export type FailureDeps =
  & StorePart<"registers.ledgerOf" | "sends.identify">
  & {
    publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
    now(): Date;
  };

/**
 * Fails at most `max` messages of a send that have waited for their integration for the maximum time, beginning with
 * those that are next in turn. Returns how many ended.
 */
export async function failOverduePart(
  send: WaitingSend,
  { cause, max }: { cause: string; max: number },
  deps: FailureDeps & StorePart<"waiting.advanceSend">,
): Promise<number> {
  const { next, messageCount } = send;
  const to = Math.min(messageCount, next + max);
  const messages = Array.from({ length: to - next }, (_, at) => ({ index: next + at, attempt: 0 }));
  const ended = await failMessages(send, messages, cause, deps);
  // Last: if this leader is lost, the next one ends the rest.
  await deps.waiting.advanceSend(send, to, { reconcileAt: deps.now() });
  return ended;
}

/**
 * Fails messages of a send that have waited for their integration for the maximum time. They are neither rendered nor
 * sent. Leaves a message alone whose next attempt another process makes, and completes what another process has only
 * begun to end. Returns how many ended.
 *
 * @param cause Why it waited: a sentence for people.
 * @throws The first error, after the work on all other messages.
 */
export async function failMessages(
  send: SendHead,
  messages: readonly { index: number; attempt: number }[],
  cause: string,
  { registers: { ledgerOf }, sends: { identify }, publish, now }: FailureDeps,
): Promise<number> {
  if (messages.length === 0) return 0;
  const idOf = (index: number) => messageIdOf(send._id, index);
  const identities = await identify(messages.map(({ index }) => idOf(index)));
  const at = now();
  const reason = `${cause}; retries ended`;
  return await writeAll(messages, async ({ index, attempt }) => {
    const message = identities.get(idOf(index));
    if (message === undefined) return [];
    const outcome: AttemptOutcome = {
      ...{ state: "failed", at, reason },
      lines: [{ at, type: "failed", attempt, detail: reason }],
    };
    const by = randomName();
    const n = attempt + 1;
    const ending = await advance(beginVoid({ n, by, outcome }), ledgerOf(message), {
      completes: () => true,
    });
    if (ending.phase !== "end") return [];
    switch (ending.result) {
      case "written":
        return statusEventsOf(send, { index, n, outcome });
      case "completed":
        return statusEventsOf(send, { index, n, outcome: ending.outcome });
      default:
        return [];
    }
  }, (report) => publish(report, send.trace));
}
