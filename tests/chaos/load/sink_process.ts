import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Secret } from "../records/secret.ts";
import type { SmtpFault } from "../faults/smtp_fault.ts";

/** To the sink; each is answered with the totals. */
export type SinkOrder = { type: "behave"; faults: SmtpFault[]; delayMs: number } | {
  type: "tell";
};

/** Accepted mails, injected faults, and faults with an unknown outcome. */
export interface SinkTotals {
  taken: number;
  injected: number;
  ambiguous: number;
}

/** From the sink. */
export type SinkReport = { port: number } | { totals: SinkTotals };

/** The settings of a sink. */
export interface SinkSettings {
  /** File of its ledger. */
  journal: string;
  seed: string;
  /** With a user it requires STARTTLS and a login. */
  user?: { name: string; password: string } | undefined;
  /** Secrets that no mail may contain. */
  secrets?: Secret[];
}

/** An SMTP server in a process of its own. */
export interface Sink extends AsyncDisposable {
  readonly port: number;
  /** Injects these faults from now on, with this average wait before it answers a dot. */
  behave(faults: SmtpFault[], delayMs?: number): Promise<void>;
  totals(): Promise<SinkTotals>;
}

/** Starts a sink that keeps its ledger in a file. */
export async function openSink(settings: SinkSettings): Promise<Sink> {
  const main = fileURLToPath(new URL("./sink.ts", import.meta.url));
  const child = fork(main, [JSON.stringify(settings)]);
  const [{ port }] = await once(child, "message") as [{ port: number }];
  let last: Promise<unknown> = Promise.resolve();
  const ask = (order: SinkOrder): Promise<SinkTotals> => {
    const answered = last.then(async () => {
      const answer = once(child, "message", { signal: AbortSignal.timeout(10_000) });
      child.send(order);
      const [report] = await answer as [{ totals: SinkTotals }];
      return report.totals;
    });
    last = answered.catch(() => undefined);
    return answered;
  };
  return {
    port,
    behave: async (faults, delayMs = 0) => void await ask({ type: "behave", faults, delayMs }),
    totals: () => ask({ type: "tell" }),
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
