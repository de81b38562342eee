/**
 * Runs a faulty SMTP server in a process of its own, which writes its own ledger: one JSON line for each
 * record, appended before the client is answered, so that it survives crashes of others.
 *
 *     node tests/kit/_faulty_smtp_process.ts '{"ledger":"/tmp/sink.jsonl","tls":"starttls"}'
 *
 * It prints `{"port":…}` first, then answers each line of its standard input, see {@linkcode
 * FaultySmtpOrder}, with one line, and ends with its standard input.
 *
 * @module
 */
import { openSync, writeSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { openFaultySmtp } from "./faulty_smtp.ts";
import type { FaultySmtpOrder, FaultySmtpProcessSettings } from "./faulty_smtp_child.ts";
import { planOf } from "./faulty_smtp_plan.ts";

const settings = JSON.parse(process.argv[2] ?? "{}") as FaultySmtpProcessSettings;
const ledger = openSync(settings.ledger, "a");

await using faulty = await openFaultySmtp({
  ...settings,
  plan: planOf(settings.rules ?? [], settings.seed),
  keep: false,
  onRecord: (record) => void writeSync(ledger, `${JSON.stringify(record)}\n`),
});
say({ port: faulty.port });

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as FaultySmtpOrder;
  if (order.rules !== undefined) faulty.behave(planOf(order.rules, order.seed ?? settings.seed));
  if (order.limits !== undefined) faulty.limit(order.limits);
  if (order.drop === true) faulty.dropConnections();
  say({ counts: faulty.counts });
}

function say(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
