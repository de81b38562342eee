import handlebars from "handlebars";
import { compileMail } from "./compile_mail.ts";
import {
  type BaselineProcess,
  type BaselineSettings,
  openBaselineProcess,
} from "./baseline_process.ts";
import type { AccountPlan, BenchAccount } from "./bench_account.ts";
import type { BenchSystem } from "./bench_system.ts";
import { type EventReceiver, openEventReceiver } from "./event_receiver.ts";
import type { Measurement } from "./measurement.ts";
import { openNullCollector } from "./null_collector.ts";
import type { Sink } from "./sink_process.ts";
import { INVOICE_VARIABLES, mailVariables, sendBody } from "./workload.ts";

/** The means of a measurement. */
export interface Bench {
  readonly system: BenchSystem;
  readonly sink: Sink;
  /** Factor on the amount of work. */
  readonly scale: number;
  /** A baseline, started at its first use. */
  baseline(name: string): Promise<BaselineProcess>;
  /** A second system, which sends traces and metrics to a collector, started at its first use. */
  traced(): Promise<BenchSystem>;
  /** A customer's endpoint for events, started at its first use. */
  receiver(): Promise<EventReceiver>;
  /** Returns a further account, which is made on first use. */
  account(plan: AccountPlan): Promise<BenchAccount>;
  /** Returns the next unused numbers of recipients. */
  takeNumbers(count: number): number;
}

/** Measures one thing in one round. */
export type Figure = (bench: Bench) => Promise<Measurement[]>;

/** A bench that owns the baselines; each run sets its amount of work. */
export interface OpenedBench extends Omit<Bench, "scale">, AsyncDisposable {
  /** Returns the lines of warning that services printed. */
  warnings(): Promise<string[]>;
}

/** The means of a bench that the caller owns. */
export interface BenchParts {
  system: BenchSystem;
  sink: Sink;
  /** Starts a system that sends telemetry to a collector. */
  openTraced(collectorUrl: string): Promise<BenchSystem>;
}

/** Opens a bench around a running system. */
export function openBench({ system, sink, openTraced }: BenchParts): OpenedBench {
  const owned = new AsyncDisposableStack();
  const parts = new Map<string, Promise<BaselineProcess>>();
  const accounts = new Map<string, Promise<BenchAccount>>();
  let receiver: Promise<EventReceiver> | undefined;
  let traced: Promise<BenchSystem> | undefined;
  let nextNumber = 1;
  return {
    system,
    sink,
    baseline(name) {
      const known = parts.get(name);
      if (known) return known;
      const opened = openBaselineProcess(name, settingsOf(system, sink));
      parts.set(name, opened);
      return opened;
    },
    traced: () =>
      traced ??= openNullCollector().then(async (collector) =>
        owned.use(await openTraced(owned.use(collector).url))
      ),
    receiver: () => receiver ??= openEventReceiver(),
    account(plan) {
      const account = accounts.get(plan.name) ?? system.addAccount(plan);
      accounts.set(plan.name, account);
      return account;
    },
    takeNumbers(count) {
      nextNumber += count;
      return nextNumber - count;
    },
    warnings: async () => [...system.warnings, ...(await traced)?.warnings ?? []],
    async [Symbol.asyncDispose]() {
      for (const part of parts.values()) await (await part)[Symbol.asyncDispose]();
      await (await receiver)?.[Symbol.asyncDispose]();
      await owned.disposeAsync();
    },
  };
}

function settingsOf(system: BenchSystem, sink: Sink): BaselineSettings {
  const { mail, invoice, stack, pdfId } = system;
  const invoiceHtml = handlebars.compile(invoice)({ ...INVOICE_VARIABLES, number: "I-bare" });
  return {
    sinkPort: sink.port,
    farSinkPort: sink.farPort,
    mongodbUrl: stack.mongodbUrl,
    natsUrl: stack.natsUrl,
    mail: compileMail(mail)(mailVariables(0)),
    templates: mail,
    invoice: invoiceHtml,
    body: JSON.stringify(sendBody({ first: 0, count: 1, invoice: "none", pdfId })),
    browser: system.browser(),
  };
}
