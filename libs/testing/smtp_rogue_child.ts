import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RogueLimits } from "./_smtp_rogue_limiter.ts";
import type { RogueCounts, RogueSmtpOptions } from "./smtp_rogue.ts";
import type { RogueRule } from "./smtp_rogue_plan.ts";
import type { RogueRecord } from "./smtp_rogue_record.ts";

/** Settings of a rogue server that runs as a process. */
export interface RogueProcessSettings extends Omit<RogueSmtpOptions, "plan" | "onRecord" | "keep"> {
  /** The file that its ledger is appended to. */
  readonly ledger: string;
  readonly rules?: readonly RogueRule[];
  /** Of all chances in the rules, 1 by default. */
  readonly seed?: number;
}

/** What the process can be told; each order is answered with its counts. */
export interface RogueOrder {
  /** Replaces the plan; an empty list behaves well. */
  readonly rules?: readonly RogueRule[];
  readonly seed?: number;
  readonly limits?: RogueLimits;
  /** Ends every open connection with RST. */
  readonly drop?: boolean;
}

/** A rogue server that runs as a process. */
export interface RogueProcess extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly ledger: string;
  /** Gives an order; with none it just counts. */
  tell(order?: RogueOrder): Promise<RogueCounts>;
  /** Reads its ledger so far. */
  records(): Promise<RogueRecord[]>;
}

const PROGRAM = fileURLToPath(new URL("./_smtp_rogue_process.ts", import.meta.url));

/** Starts a rogue server as a process; it ends with its parent. @throws {Error} If it does not start. */
export async function openRogueProcess(settings: RogueProcessSettings): Promise<RogueProcess> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error("Cannot start a rogue SMTP server: it ended at once");
  const { port } = JSON.parse(first.value) as { port: number };
  let turn: Promise<unknown> = Promise.resolve();

  async function ask(order: RogueOrder): Promise<RogueCounts> {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const answer = await lines.next();
    if (answer.done) throw new Error("Cannot tell the rogue SMTP server: it has ended");
    return (JSON.parse(answer.value) as { counts: RogueCounts }).counts;
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
    records: () => readRogueLedger(settings.ledger),
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** Reads the ledger of a rogue server; a last line that is not whole is left out. */
export async function readRogueLedger(path: string): Promise<RogueRecord[]> {
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RogueRecord);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.stdin?.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), 2_000);
  await exited;
  clearTimeout(timer);
}
