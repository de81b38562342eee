import { createInbox, type Msg, type NatsConnection } from "@nats-io/nats-core";
import { openTimeLimit } from "@posthaste/runtime";

/** The answers to one event, one for each asker. */
export interface Answers {
  /** Inbox of the answers: `<inbox>.<position>`. */
  inbox: string;
  /** The answers by position; `undefined` when none arrived in time. */
  messages: readonly Promise<Msg | undefined>[];
  /** Ends the wait: positions without an answer get `undefined`. */
  [Symbol.dispose](): void;
}

/** How answers are waited for. */
export interface AnswerOptions {
  /** Number of askers. */
  count: number;
  timeoutMs: number;
}

/**
 * Opens one inbox for the answers to all questions of this connection.
 *
 * @param prefix Where the process may listen, as `_INBOX.api.reply`.
 */
export function openAsks(
  connection: NatsConnection,
  prefix: string,
): (options: AnswerOptions) => Answers {
  const inbox = createInbox(prefix);
  const waiting = new Map<string, (message: Msg) => void>();
  let asked = 0;

  function hear(_: unknown, message: Msg): void {
    waiting.get(message.subject)?.(message);
  }

  return ({ count, timeoutMs }) => {
    // Opened with the first question: most processes ask nothing.
    if (asked === 0) connection.subscribe(`${inbox}.>`, { callback: hear });
    const own = `${inbox}.${++asked}`;
    const subjects = Array.from({ length: count }, (_, position) => `${own}.${position}`);
    const answers = subjects.map(() => Promise.withResolvers<Msg | undefined>());
    let open = count;
    const end = () => {
      limit[Symbol.dispose]();
      for (const subject of subjects) waiting.delete(subject);
      for (const { resolve } of answers) resolve(undefined);
    };
    const limit = openTimeLimit(timeoutMs, end);
    for (const [position, subject] of subjects.entries()) {
      waiting.set(subject, (message) => {
        waiting.delete(subject);
        answers[position]?.resolve(message);
        if (--open === 0) end();
      });
    }
    return {
      inbox: own,
      messages: answers.map(({ promise }) => promise),
      [Symbol.dispose]: end,
    };
  };
}
