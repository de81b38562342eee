import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FaultySmtpLimits } from "./_faulty_smtp_limiter.ts";
import type { FaultySmtpCounts } from "./faulty_smtp.ts";
import type { FaultySmtpOptions } from "./faulty_smtp_options.ts";
import type { FaultRule } from "./faulty_smtp_plan.ts";
import type { FaultySmtpRecord } from "./faulty_smtp_record.ts";

/** Settings of a faulty server that runs as a process. */
export interface FaultySmtpProcessSettings
  extends Omit<FaultySmtpOptions, "plan" | "onRecord" | "keep"> {
  /** The file that its ledger is appended to. */
  readonly ledger: string;
  readonly rules?: readonly FaultRule[];
  /** Of all chances in the rules, 1 by default. */
  readonly seed?: number;
}

/** An order to the process, which answers with its counts. */
export interface FaultySmtpOrder {
  /** Replaces the plan; an empty list behaves well. */
  readonly rules?: readonly FaultRule[];
  readonly seed?: number;
  readonly limits?: FaultySmtpLimits;
  /** Ends every open connection with RST. */
  readonly drop?: boolean;
}

/** A faulty server that runs as a process. */
export interface FaultySmtpProcess extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly ledger: string;
  /** Sends an order, and returns the counts; without an order only the counts. */
  tell(order?: FaultySmtpOrder): Promise<FaultySmtpCounts>;
  /** Reads its ledger so far. */
  records(): Promise<FaultySmtpRecord[]>;
}

const PROGRAM = fileURLToPath(new URL("./_faulty_smtp_process.ts", import.meta.url));

/** Starts a faulty server as a process; it ends with its parent. @throws {Error} If it does not start. */
export async function openFaultySmtpProcess(
  settings: FaultySmtpProcessSettings,
): Promise<FaultySmtpProcess> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error("Cannot start a faulty SMTP server: it ended immediately");
  const { port } = JSON.parse(first.value) as { port: number };
  let turn: Promise<unknown> = Promise.resolve();

  async function ask(order: FaultySmtpOrder): Promise<FaultySmtpCounts> {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const answer = await lines.next();
    if (answer.done) throw new Error("Cannot change the faulty SMTP server: it has ended");
    return (JSON.parse(answer.value) as { counts: FaultySmtpCounts }).counts;
  }

  return {
    host: "127.0.0.1",
    port,
    pid: child.pid ?? 0,
    ledger: settings.ledger,
    tell(order = {}) {
      const answer = turn.then(() => ask(order));
      turn = answer.catch(() => {});
      return answer;
    },
    records: () => readFaultySmtpLedger(settings.ledger),
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** Reads the ledger of a faulty server; a last line that is not whole is left out. */
async function readFaultySmtpLedger(path: string): Promise<FaultySmtpRecord[]> {
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as FaultySmtpRecord);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.stdin?.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), 2_000);
  await exited;
  clearTimeout(timer);
}
