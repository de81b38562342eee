import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { jetstream, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { brokerAddress, brokerApi } from "@posthaste/messaging";
import {
  nightly,
  openFaultySmtp,
  openSmtpSink,
  planOf,
  type SmtpSink,
  type SunkMessage,
  until,
} from "@posthaste/kit";
import { readMail } from "./read_mail.ts";
import { readPdf } from "./read_pdf.ts";
import { openSystem, type System } from "./system.ts";
import { openTimeTravel, type TimeTravel } from "./time_travel.ts";

nightly("services/pdf/browser_test.ts", "services/mailer/send_step_test.ts");

/** A shape of shapes of shapes: a million million of them, in 2 KB and without a script. */
const ENDLESS = `<svg><g id="g0"><rect width="1" height="1" /></g>${
  Array.from({ length: 12 }, (_, n) => {
    return `<g id="g${n + 1}">${`<use href="#g${n}" />`.repeat(10)}</g>`;
  }).join("")
}</svg>`;
/** Takes Chromium about a second. */
const LONG = `<p>PDF {{ n }}${"<p style='columns:3'>x y z".repeat(1500)}`;

let system: System;
let sink: SmtpSink;
let travel: TimeTravel;
let nats: NatsConnection;
let manager: JetStreamManager;
let order: { template: number; integration: number };
let plain: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  const settings = {
    tracker: { RECONCILE_INTERVAL: "200ms", RECONCILE_GRACE: "2s" },
    pdf: { PRINT_TIME_LIMIT: "3s" },
  };
  system = stack.use(await openSystem({ settings }));
  travel = stack.use(openTimeTravel(system));
  nats = await connect(brokerAddress(system.stack.natsUrl));
  stack.defer(() => nats.close());
  manager = await jetstreamManager(nats, brokerApi(system.stack.natsUrl));
  order = {
    template: await system.publishEmail({ subject: "No {{ n }}", html: "<p>{{ n }}" }),
    integration: await system.connect(sink.port),
  };
  plain = await system.publishPdf({ html: "<p>PDF {{ n }}" });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Sends a mail with a PDF to one recipient. */
function sendPdf(n: number, pdf = plain, times = 1) {
  const attachments = Array.from({ length: times }, () => ({ id: pdf }));
  const to = [{ email: `n${n}@print.example`, attachments }];
  return system.send({ ...order, to, variables: { n } });
}

/** Sends a mail that has the same PDF twice, so that it is stored. */
function sendTwice(n: number) {
  return sendPdf(n, plain, 2);
}

/** Waits for the mail to a recipient, which must arrive once. */
async function mailTo(n: number, timeoutMs = 20_000): Promise<SunkMessage> {
  const mails = () =>
    sink.messages.filter(({ envelope }) => envelope.to[0] === `n${n}@print.example`);
  await until(() => mails().length > 0, { timeoutMs, message: `the mail to n${n}` });
  assert.equal(mails().length, 1);
  return mails()[0] as SunkMessage;
}

/** Fails unless the mail has its recipient's PDF this many times. */
async function assertPdf(mail: SunkMessage, n: number, times = 1): Promise<void> {
  const [{ attachments }] = await readMail(mail);
  assert.equal(attachments.length, times);
  for (const { bytes } of attachments) {
    const { pages } = await readPdf(bytes);
    assert.match(pages[0] ?? "", new RegExp(`^PDF ${n}\\b`));
  }
}

/** The browser's processes, with what each is. */
function chromium(): { pid: number; parent: number; command: string }[] {
  const service = system.stack.services.get("pdf")?.pid ?? 0;
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1");
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), command }];
    } catch {
      return [];
    }
  });
  const found = all.filter(({ parent }) => parent === service);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

test("a browser that is killed under a PDF fails nothing, and leaves nothing behind", async () => {
  const long = await system.publishPdf({ html: LONG });
  await sendPdf(1);
  await mailTo(1);
  const before = chromium().map(({ pid }) => pid);
  const [browser] = chromium();
  const { id } = await sendPdf(2, long);
  await delay(150);
  process.kill(browser?.pid ?? 0, "SIGKILL");
  await assertPdf(await mailTo(2), 2);
  assert.deepEqual((await system.untilDone(id)).states, { sent: 1 });
  await until(() => chromium().every(({ pid }) => !before.includes(pid)), {
    message: "the old processes to be gone",
  });

  const next = await sendPdf(3, long);
  await delay(150);
  for (const { pid, command } of chromium()) {
    if (command.includes("--type=renderer")) process.kill(pid, "SIGKILL");
  }
  await assertPdf(await mailTo(3), 3);
  assert.deepEqual((await system.untilDone(next.id)).states, { sent: 1 });
});

test("a PDF that never ends fails its message with the reason, and no other", async () => {
  const endless = await system.publishPdf({ html: ENDLESS });
  const { id, messages } = await sendPdf(10, endless);
  const others = await Promise.all([11, 12, 13].map((n) => sendPdf(n)));
  for (const n of [11, 12, 13]) await assertPdf(await mailTo(n), n);
  assert.deepEqual((await system.untilDone(id, 60_000)).states, { failed: 1 });
  const { reason } = await system.message(messages[0]?.id ?? "");
  // Which limit it meets first depends on how fast the machine is.
  assert.match(
    reason ?? "",
    /^A PDF could not be printed: (the document took longer than 3 s|.* needs more than 1024 MB)/,
  );
  await sendPdf(14);
  await assertPdf(await mailTo(14), 14);
  for (const other of others) {
    assert.deepEqual((await system.untilDone(other.id)).states, { sent: 1 });
  }
  await until(() => {
    const renderers = chromium().filter(({ command }) => command.includes("--type=renderer"));
    return renderers.length <= 3;
  }, { message: "the browser that hung to be gone" });
});

test("a full store delays no PDF", async () => {
  await sendTwice(21);
  await mailTo(21);
  const { config, state } = await manager.streams.info("OBJ_pdfs");
  await manager.streams.update("OBJ_pdfs", { ...config, max_bytes: state.bytes + 100 });
  const { id } = await sendTwice(20);
  await assertPdf(await mailTo(20), 20, 2);
  assert.deepEqual((await system.untilDone(id)).states, { sent: 1 });
  await manager.streams.update("OBJ_pdfs", config);
});

test("a PDF that is damaged or lost in the store is printed again, never attached damaged", async () => {
  const mailer = system.stack.services.get("mailer");
  for (const [offset, how] of (["changed", "lost", "deleted"] as const).entries()) {
    const n = 30 + offset;
    const before = await lastStored();
    // What the mailer has loaded it keeps: the damage must come first.
    mailer?.signal("SIGSTOP");
    try {
      const { id } = await sendTwice(n);
      await until(async () => await lastStored() === before + 1, {
        message: `PDF ${n} to be printed`,
      });
      await damage(before, how);
      mailer?.signal("SIGCONT");
      await until(async () => {
        await travel.reconcileNow();
        return sink.messages.some(({ envelope }) => envelope.to[0] === `n${n}@print.example`);
      }, { everyMs: 500, message: `the mail whose PDF was ${how}` });
      await assertPdf(await mailTo(n), n, 2);
      assert.deepEqual((await system.untilDone(id)).states, { sent: 1 });
    } finally {
      mailer?.signal("SIGCONT");
    }
  }
});

test("a later attempt prints the PDF of one recipient again, with the same bytes", async () => {
  const mails: Buffer[] = [];
  await using server = await openFaultySmtp({
    plan: planOf([{ stage: "dot", action: { do: "reply", reply: "451 4.7.1 Later" }, times: 1 }]),
    onRecord: (_, raw) => void mails.push(...raw === null ? [] : [raw]),
  });
  const before = await lastStored();
  const { id } = await system.send({
    ...{ template: order.template, integration: await system.connect(server.port) },
    ...{ to: [{ email: "n40@print.example", attachments: [{ id: plain }] }], variables: { n: 40 } },
  });
  assert.deepEqual((await system.untilResting(id)).states, { deferred: 1 });
  // The PDF was in the events of the first attempt only, and in the memory of the printer, which ends.
  assert.equal(await lastStored(), before);
  const pdf = system.stack.services.get("pdf");
  pdf?.signal("SIGKILL");
  await pdf?.exited;
  await system.stack.restart("pdf");
  await travel.endDeferral(id);
  assert.deepEqual((await system.untilDone(id)).states, { sent: 1 });
  assert.ok(await lastStored() > before, "printed again, since the store had none");
  const [first, second] = await Promise.all(mails.map(async (raw) => {
    const [mail] = await readMail({ raw });
    return mail.attachments[0]?.bytes;
  }));
  assert.equal(mails.length, 2);
  assert.ok(first !== undefined && first.length > 1000);
  assert.ok(second?.equals(first), "the second PDF has other bytes");
});

/** The last sequence number of the store: a small object takes one. */
async function lastStored(): Promise<number> {
  return (await manager.streams.info("OBJ_pdfs")).state.last_seq;
}

/** Damages the object that was stored after a sequence number of the store's stream. */
async function damage(after: number, how: "changed" | "lost" | "deleted"): Promise<void> {
  const chunk = await manager.streams.getMessage("OBJ_pdfs", { seq: after + 1 });
  assert.match(chunk?.subject ?? "", /^\$O\.pdfs\.C\./);
  if (how === "deleted") {
    await manager.streams.purge("OBJ_pdfs");
    return;
  }
  await manager.streams.deleteMessage("OBJ_pdfs", after + 1);
  if (how === "lost") return;
  const bytes = Buffer.from(chunk?.data ?? []);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await jetstream(nats).publish(chunk?.subject ?? "", bytes);
}
