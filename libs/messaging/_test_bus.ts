import {
  type EventData,
  messageIdOf,
  type MessageStatusData,
  newSendId,
  STATUS_VERSION,
} from "@posthaste/contracts";
import { type Logger, openLogger } from "@posthaste/telemetry";
import { openTestNats } from "@posthaste/kit";
import { type Bus, openBus } from "./bus.ts";
import { redispatchesOf, type Resumption } from "./dispatch_send.ts";
import type { Outgoing, Step } from "./step.ts";

/** A logger whose lines can be read. */
export interface TestLogger extends Logger {
  readonly lines: string[];
}

/** Opens a logger that keeps its lines to itself. */
export function openTestLogger(): TestLogger {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return Object.assign(openLogger({ service: "test", level: "debug", write }), { lines });
}

/** A broker with all streams, a connection to it, and both closed at the end. */
export interface TestBus extends AsyncDisposable {
  bus: Bus;
  nats: Awaited<ReturnType<typeof openTestNats>>;
}

/** Starts a broker with all streams and connects to it. */
export async function openTestBus(): Promise<TestBus> {
  const nats = await openTestNats();
  const bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  return {
    bus,
    nats,
    async [Symbol.asyncDispose]() {
      await bus[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  };
}

const sendId = newSendId("acc_1");

/** An event that asks for a send; its account distinguishes it from others. */
export function requested(accountId: string, priority: "transactional" | "bulk" = "transactional") {
  const data: EventData<"send.requested"> = {
    v: 2,
    sendId,
    accountId,
    priority,
    acceptedAt: new Date().toISOString(),
    integrationId: 1,
    from: { email: "shop@example.com" },
    template: { id: 1, version: 1 },
    pdfVersions: {},
    recipients: [{ index: 0, attempt: 0, email: "ann@example.com" }],
  };
  return { type: "send.requested", data } as const satisfies Outgoing;
}

/** An event that brings a message of a send back; its attempt distinguishes it from others. */
export function resumed(attempt: number, { index = 0 }: { index?: number } = {}) {
  const send = { _id: sendId, accountId: "acc_1", priority: "transactional" as const };
  const [event] = redispatchesOf(send, [{ index, attempt }]);
  return event as Resumption;
}

/** An event that brings a message without PDFs to the mailer. */
export function rendered(accountId: string, subject = "Hello") {
  const { template: _template, pdfVersions: _versions, recipients: _recipients, ...send } =
    requested(accountId).data;
  const data: EventData<"messages.rendered"> = {
    ...send,
    messages: [{
      index: 0,
      attempt: 0,
      to: { email: "ann@example.com" },
      subject,
      html: { inline: "<p>Hello</p>" },
      text: { inline: "Hello" },
      pdfs: [],
    }],
  };
  return { type: "messages.rendered", data } as const satisfies Outgoing;
}

/** A report that a message failed; its account distinguishes it from others. */
export function failed(accountId: string, reason = "no reason") {
  const statusEvent: MessageStatusData<"status.message.failed"> = {
    messageId: messageIdOf(sendId, 0),
    sendId,
    accountId,
    index: 0,
    attempt: 0,
    at: new Date().toISOString(),
    stage: "renderer",
    reason,
  };
  const data = { v: STATUS_VERSION, outcomes: [statusEvent] };
  return { type: "status.message.failed", data } as const satisfies Outgoing;
}

/** A step of the renderer with a given behavior; giving up reports a failure. */
export function renderStep(
  handle: Step<"send.requested">["handle"],
): Step<"send.requested"> {
  return {
    name: "test.render",
    handle,
    giveUp: ({ data }, reason) => ({ publish: [failed(data.accountId, reason)] }),
  };
}
