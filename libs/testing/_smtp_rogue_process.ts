/**
 * A rogue SMTP server in a process of its own, that writes its ledger by itself: one JSON line for
 * each record, appended before the client is answered, so that it holds whatever happens to others.
 *
 *     node libs/testing/_smtp_rogue_process.ts '{"ledger":"/tmp/sink.jsonl","tls":"starttls"}'
 *
 * It says `{"port":…}` first, then answers each line of its standard input, see
 * {@linkcode RogueOrder}, with one line, and ends with its standard input.
 *
 * @module
 */
import { openSync, writeSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { openRogueSmtp } from "./smtp_rogue.ts";
import type { RogueOrder, RogueProcessSettings } from "./smtp_rogue_child.ts";
import { planOf } from "./smtp_rogue_plan.ts";

const settings = JSON.parse(process.argv[2] ?? "{}") as RogueProcessSettings;
const ledger = openSync(settings.ledger, "a");

await using rogue = await openRogueSmtp({
  ...settings,
  plan: planOf(settings.rules ?? [], settings.seed),
  keep: false,
  onRecord: (record) => void writeSync(ledger, `${JSON.stringify(record)}\n`),
});
say({ port: rogue.port });

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as RogueOrder;
  if (order.rules !== undefined) rogue.behave(planOf(order.rules, order.seed ?? settings.seed));
  if (order.limits !== undefined) rogue.limit(order.limits);
  if (order.drop === true) rogue.dropConnections();
  say({ counts: rogue.counts });
}

function say(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
