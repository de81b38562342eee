import { setTimeout as sleep } from "node:timers/promises";
import { isSendId, isTerminal, type MessageState, parseMessageId } from "@posthaste/contracts";
import { Command } from "commander";
import type { Api } from "../api.ts";
import { type CommandContext, type HttpOptions, openApiFor } from "../command_context.ts";
import { CommandError, usageError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { addHttpOptions } from "../http_options.ts";
import {
  describeMessage,
  describeSend,
  type MessageAnswer,
  messageAnswerSchema,
  sendAnswerSchema,
} from "../message_view.ts";
import { readDuration } from "../read_option.ts";

interface StatusOptions extends HttpOptions {
  watch?: true;
  timeout?: string;
}

const WATCH_EVERY_MS = 1000;
const MAX_IN_FULL = 5;
const MAX_FAULTS = 10;

/** `posthaste status` */
export function statusCommand(context: CommandContext): Command {
  const command = new Command("status")
    .argument("<id>", "id of a message (msg_…) or of a send (snd_…)")
    .description("Show the state and timeline of a message or a send.")
    .option("--watch", "update until every message is sent, failed or canceled")
    .option("--timeout <duration>", "maximum time to watch, such as 5m");
  return addHttpOptions(command)
    .addHelpText(
      "after",
      `
Times are in UTC. With --watch the exit code is 1 if a message failed or was canceled, or if
the time ran out.

Examples:
  posthaste status msg_01k9…
  posthaste status snd_01k9… --watch --timeout 5m
`,
    )
    .action((id: string, options: StatusOptions) => status(context, id, options));
}

/** A snapshot of the state. */
interface Look {
  answer: unknown;
  states: MessageState[];
  say(): string;
}

async function status(context: CommandContext, id: string, options: StatusOptions): Promise<void> {
  const { output } = context;
  if (!isSendId(id) && parseMessageId(id) === undefined) {
    throw usageError(
      `Cannot show "${id}": it is not the id of a message (msg_…) or a send (snd_…)`,
    );
  }
  if (options.timeout !== undefined && !options.watch) {
    throw usageError("Cannot use --timeout alone: add --watch");
  }
  const timeoutMs = options.timeout === undefined
    ? Infinity
    : await readDuration("--timeout", options.timeout);
  const api = openApiFor(context, options);
  if (options.watch) {
    return await watch(context, { look: () => lookAt(api, id, output), timeoutMs });
  }
  const look = await lookAt(api, id, output);
  output.result(look.answer, look.say);
}

type Painter = CommandContext["output"];

async function lookAt(api: Api, id: string, output: Painter): Promise<Look> {
  if (!isSendId(id)) {
    const answer = await api.get(`/messages/${id}`);
    const message = messageAnswerSchema.parse(answer);
    return { answer, states: [message.state], say: () => describeMessage(message, output) };
  }
  const answer = await api.get(`/sends/${id}`);
  const send = sendAnswerSchema.parse(answer);
  const states = send.messages.map(({ state }) => state);
  const isSmall = send.messages.length <= MAX_IN_FULL;
  const details = isSmall && !output.json
    ? await Promise.all(send.messages.map((message) => lookAtMessage(api, message.id)))
    : [];
  const say = () =>
    [describeSend(send, output), ...details.map((each) => describeMessage(each, output))].join(
      "\n\n",
    );
  return { answer, states, say };
}

async function lookAtMessage(api: Api, id: string): Promise<MessageAnswer> {
  return messageAnswerSchema.parse(await api.get(`/messages/${id}`));
}

interface Watch {
  look(): Promise<Look>;
  timeoutMs: number;
}

async function watch(
  { output, endWith }: CommandContext,
  { look, timeoutMs }: Watch,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const screen = new Screen(output);
  let faults = 0;
  for (;;) {
    let seen: Look | undefined;
    try {
      seen = await look();
      faults = 0;
    } catch (error) {
      // A service that restarts is no reason to stop watching.
      const isPassing = error instanceof CommandError && error.exitCode === EXIT.failed;
      if (!isPassing || ++faults >= MAX_FAULTS) throw error;
    }
    const isDone = seen?.states.every(isTerminal) ?? false;
    const isLate = performance.now() >= deadline;
    if (seen && !output.json) screen.show(seen.say());
    if (isDone || isLate) {
      if (seen && output.json) output.result(seen.answer, seen.say);
      if (!isDone) output.warn("the watch timeout was reached");
      if (!isDone || seen?.states.some((state) => state !== "sent")) endWith(EXIT.failed);
      return;
    }
    await sleep(Math.min(WATCH_EVERY_MS, Math.max(0, deadline - performance.now())));
  }
}

/** Shows a text in place of the last one; without a terminal, only if it differs. */
class Screen {
  readonly #output: Painter;
  #shown = "";

  constructor(output: Painter) {
    this.#output = output;
  }

  show(text: string): void {
    if (text === this.#shown) return;
    if (this.#shown !== "") {
      if (this.#output.isTerminal) this.#output.raw("\x1b[H\x1b[J");
      else this.#output.line("");
    } else if (this.#output.isTerminal) this.#output.raw("\x1b[2J\x1b[H");
    this.#shown = text;
    this.#output.line(text);
  }
}
