import { type Measurement, PRODUCT } from "../measurement.ts";
import type { Bench } from "../bench.ts";
import type { BenchAccount } from "../bench_account.ts";
import { postAll } from "../http_load.ts";
import { cpuBetween, readCpu } from "../process_cpu.ts";
import { monotonicMs } from "../sink_process.ts";
import { type Invoice, sendBody } from "../workload.ts";

/** For mails with PDFs on a slow machine. */
const ARRIVE_TIMEOUT_MS = 120_000;
const TIMEOUT_PER_MAIL_MS = 10;

/** Mails to be sent by requests of many recipients. */
export interface Drain {
  figure: string;
  /** How people call it. @default {PRODUCT} */
  part?: string;
  mails: number;
  recipientsPerRequest: number;
  invoice: Invoice;
  /** Whose requests they are, in turns. @default the account of the system */
  accounts?: readonly BenchAccount[];
  /** Waits for work that the mails cause, which the CPU time includes. */
  until?(): Promise<void>;
}

/**
 * Posts requests and waits for the last mail at the sink, for all events to be worked on and all
 * sends to be settled. The rate counts from the first request to the last mail; the CPU time is all
 * that the mails have cost, to the end.
 *
 * @throws {Error} If more mails arrive than were to be sent.
 */
export async function drain(bench: Bench, plan: Drain): Promise<Measurement> {
  const { system, sink } = bench;
  const { mails, recipientsPerRequest, invoice, accounts = [system] } = plan;
  const accountOf = (index: number) => accounts[index % accounts.length] ?? system;
  const first = bench.takeNumbers(mails);
  await system.untilQuiet();
  await sink.reset();
  const before = { ...system.cpu(), sink: sinkCpu(bench) };
  const started = monotonicMs();
  const arrived = sink.waitFor(mails, ARRIVE_TIMEOUT_MS + mails * TIMEOUT_PER_MAIL_MS);
  await postAll({
    to(index) {
      const { sendUrl: url, headers } = accountOf(index);
      return { url, headers };
    },
    requests: Math.ceil(mails / recipientsPerRequest),
    connections: 4,
    body: (index) => {
      const done = index * recipientsPerRequest;
      const count = Math.min(recipientsPerRequest, mails - done);
      const { pdfId } = accountOf(index);
      return JSON.stringify(sendBody({ first: first + done, count, invoice, pdfId }));
    },
  });
  const { lastAt } = await arrived;
  await system.untilQuiet();
  await system.reconcile();
  await plan.until?.();
  await system.untilQuiet();
  await refuseDuplicates(bench, mails);
  return {
    figure: plan.figure,
    part: plan.part ?? PRODUCT,
    unit: "mail",
    rate: mails / (lastAt - started) * 1000,
    cpuMs: cpuBetween(before, { ...system.cpu(), sink: sinkCpu(bench) }, mails),
  };
}

/** CPU time of the sink, which is not a part of the system. */
export function sinkCpu({ sink }: Bench): number {
  return readCpu([{ name: "sink", pid: sink.pid }])["sink"] ?? 0;
}

/** @throws {Error} If more mails arrived than were to be sent. */
export async function refuseDuplicates({ sink }: Bench, mails: number): Promise<void> {
  const count = await sink.count();
  if (count !== mails) {
    throw new Error(`Cannot trust the figures: ${count} mails arrived where ${mails} were sent`);
  }
}
