import { isSendId, type MessageState, parseMessageId } from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";
import { Command } from "commander";
import { type CommandContext, openStoreFor } from "../command_context.ts";
import { CommandError, notFoundError, usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { formatCount } from "../format.ts";

/** The states that are retried of a whole send. Waiting messages need no retry. */
const ENDED: readonly MessageState[] = ["failed", "unknown"];

/** `posthaste retry` */
export function retryCommand(context: CommandContext): Command {
  return new Command("retry")
    .argument("<id...>", "ids of messages (msg_…) or of sends (snd_…)")
    .description("Send failed messages and messages with unknown outcome again.")
    .addHelpText(
      "after",
      `
For a send, only messages that failed or have an unknown outcome are sent again. A message that
waits for its next attempt is retried immediately if you give its own id. A message older than the
integration's retry time gets one attempt.

Examples:
  posthaste retry msg_01k9…
  posthaste retry snd_01k9…
`,
    )
    .action((ids: string[]) => retry(context, ids));
}

async function retry(context: CommandContext, ids: string[]): Promise<void> {
  const { output } = context;
  const wrong = ids.find((id) => !isSendId(id) && parseMessageId(id) === undefined);
  if (wrong !== undefined) {
    throw usageError(
      `Cannot retry "${wrong}": it is not the id of a message (msg_…) or a send (snd_…)`,
    );
  }
  await using store = await openStoreFor(context);
  const retried: string[] = [];
  for (const id of ids) {
    retried.push(...isSendId(id) ? await retrySend(store, id) : [await retryOne(store, id)]);
  }
  output.result(
    { retried },
    () => `${formatCount(retried.length, "message")} will be sent again`,
  );
}

async function retryOne(store: Store, id: string): Promise<string> {
  const sendId = parseMessageId(id)?.sendId ?? "";
  const accountId = await accountOf(store, sendId);
  if (await store.messages.retry(accountId, id, { now: new Date() }) !== null) return id;
  const message = await store.messages.find(accountId, id);
  if (message === null) {
    throw notFoundError(`Cannot find message "${id}": its send has no such recipient`);
  }
  throw new CommandError(`Cannot retry "${id}": it is ${message.state}`, {
    exitCode: EXIT.refused,
    remedy: "only failed, waiting or unknown messages can be sent again",
  });
}

async function retrySend(store: Store, id: string): Promise<string[]> {
  const accountId = await accountOf(store, id);
  const messages = await store.messages.list(accountId, id) ?? [];
  const ended = messages.filter(({ state }) => ENDED.includes(state));
  const retried = await Promise.all(
    ended.map(({ _id }) => store.messages.retry(accountId, _id, { now: new Date() })),
  );
  return retried.flatMap((message) => message === null ? [] : [message._id]);
}

async function accountOf(store: Store, sendId: string): Promise<string> {
  const [send] = await store.sends.heads([sendId]);
  if (send?.contentRemovedAt !== undefined) {
    const { ContentRemovedError } = await import("@posthaste/storage");
    const { message } = new ContentRemovedError(sendId, send.contentRemovedAt);
    throw new CommandError(message, {
      exitCode: EXIT.refused,
      remedy: "send a new request; the account's settings define how many days contents are kept",
    });
  }
  if (send !== undefined) return send.accountId;
  throw notFoundError(`Cannot find send "${sendId}": no such id`);
}
