// The receiving SMTP server of a run, in a process of its own: it misbehaves on order, and keeps the ledger
// of its mails and replies.
import { closeSync, openSync, writeSync } from "node:fs";
import process from "node:process";
import { type FaultMoment, type FaultySmtpRecord, openFaultySmtp } from "@posthaste/kit";
import type { SinkLine } from "../records/records.ts";
import { openRandom } from "../random.ts";
import { readMail } from "./read_mail.ts";
import { searchFor } from "../records/secret.ts";
import type { SinkOrder, SinkReport, SinkSettings } from "./sink_process.ts";
import { drawFault, type SmtpFault } from "../faults/smtp_fault.ts";

const LEAVES_UNKNOWN = new Set(["close", "reset", "reply_then_reset", "silence"]);

const settings: SinkSettings = JSON.parse(process.argv[2] ?? "{}");
const search = searchFor(settings.secrets ?? []);
const journal = openSync(settings.journal, "a");
const random = openRandom(settings.seed);
const coins = random.fork("coins");
let faults: SmtpFault[] = [];
let delayMs = 0;
const totals = { taken: 0, injected: 0, ambiguous: 0 };

await using server = await openFaultySmtp({
  keep: false,
  plan,
  onRecord,
  tls: settings.user === undefined ? "none" : "starttls",
  ...(settings.user === undefined
    ? {}
    : { users: { [settings.user.name]: settings.user.password } }),
});
report({ port: server.port });

const ended = Promise.withResolvers<void>();
process.on("message", (order: SinkOrder) => {
  if (order.type === "behave") [faults, delayMs] = [order.faults, order.delayMs];
  report({ totals });
});
process.on("disconnect", () => ended.resolve());
await ended.promise;
closeSync(journal);
process.exit(0);

function plan({ stage, address }: FaultMoment) {
  const action = drawFault(faults, stage, random);
  if (action === undefined) {
    // A real server takes its time, so a mailer that is killed leaves mail between dot and reply.
    const ms = stage === "dot" && delayMs > 0 ? random.integer(0, 2 * delayMs) : 0;
    return ms === 0 ? undefined : { do: "delay" as const, ms };
  }
  totals.injected++;
  if (stage === "dot") return action;
  const code = action.do === "reply" ? Number(action.reply.slice(0, 3)) : null;
  const isRefusal = code !== null || action.do === "close" || action.do === "reset";
  const to = stage === "rcpt" || stage === "data" || stage === "body" ? address : null;
  if (isRefusal) keep({ type: "refusal", at: Date.now(), to, stage, code });
  return action;
}

function onRecord(record: FaultySmtpRecord, raw: Buffer | null): void {
  if (raw === null) return;
  const [, what = ""] = record.faultStage === "dot" ? record.fault?.split(" ") ?? [] : [];
  // A reply that was not sent whole: the server may have kept the mail, or lost it.
  const taken = record.reply === null ? coins.chance(0.5) : record.reply.startsWith("2");
  // A cut in the middle of a mail that had ended before the server processed it.
  const isCutLate = record.faultStage === "body" && record.reply === null;
  const ambiguous = LEAVES_UNKNOWN.has(what) || isCutLate;
  // Long lines are folded: a secret may extend over two.
  const unfolded = Buffer.from(raw.toString("latin1").replaceAll(/=?\r\n/g, ""), "latin1");
  const leaks = [...new Set([...search(raw), ...search(unfolded)])];
  if (taken) totals.taken++;
  if (ambiguous) totals.ambiguous++;
  keep({
    type: "mail",
    at: Date.parse(record.at),
    mailer: record.client ?? "",
    to: [...record.to],
    ...readMail(raw),
    reply: record.reply,
    taken,
    fault: what === "" || what === "delay" ? null : `dot ${what}`,
    ambiguous,
    ...(leaks.length === 0 ? {} : { leaks }),
  });
}

function keep(line: SinkLine): void {
  writeSync(journal, `${JSON.stringify(line)}\n`);
}

function report(message: SinkReport): void {
  process.send?.(message);
}
