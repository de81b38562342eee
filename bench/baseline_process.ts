import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { cpuBetween, type CpuTimes, readCpu } from "./process_cpu.ts";

/** What the bare parts work on: the same as the system beside them. */
export interface BareSettings {
  sinkPort: number;
  /** Where the sink answers 50 ms later. */
  farSinkPort: number;
  mongodbUrl: string;
  natsUrl: string;
  /** A filled mail. */
  mail: { subject: string; html: string; text: string };
  /** The templates of that mail. */
  templates: { subject: string; html: string; text: string };
  /** A filled invoice, whose number is `I-bare`. */
  invoice: string;
  /** Body of a send with one recipient. */
  body: string;
  browser: { executablePath: string; env: Record<string, string> };
}

/** To the process of a bare part. */
export type BareOrder =
  | { open: string; settings: BareSettings }
  | BareRun
  | { close: true };

/** A measurement. */
export interface BareRun {
  /** Units of work. */
  run: number;
  /** Size of the PDF that each mail carries. @default {0} */
  pdfBytes?: number;
}

/** From the process of a bare part. */
export type BareReport =
  | { opened: true; url?: string }
  | { durationMs: number; result?: number | undefined }
  | { failed: string };

/** A part by itself, without the system around it. */
export interface BarePart extends AsyncDisposable {
  /** Where it takes requests, if it is a server. */
  url?: string;
  /** Works, if it is none. A printer gives the size of a PDF in bytes. */
  run?(run: BareRun): Promise<number | void>;
}

/** Opens a bare part. */
export type OpenBare = (settings: BareSettings) => Promise<BarePart>;

/** A bare part that runs. */
export interface BareProcess extends AsyncDisposable {
  readonly url: string;
  /** CPU time so far, of it and all below. */
  cpu(): CpuTimes;
  /** Works, and gives units per second, CPU time per unit, and what the part gave. */
  run(run: BareRun): Promise<{ rate: number; cpuMs: CpuTimes; result?: number | undefined }>;
}

/** Starts a bare part, by its name in `bare/worker.ts`. */
export async function openBareProcess(name: string, settings: BareSettings): Promise<BareProcess> {
  const child = fork(fileURLToPath(new URL("./baseline/worker.ts", import.meta.url)));
  const ask = async (order: BareOrder): Promise<BareReport> => {
    const answer = Promise.race([
      once(child, "message").then(([report]): BareReport => report),
      once(child, "exit").then(([code]): BareReport => ({ failed: `it ended with ${code}` })),
    ]);
    child.send(order);
    const report = await answer;
    if ("failed" in report) throw new Error(`Cannot measure bare "${name}": ${report.failed}`);
    return report;
  };
  const cpu = () => readCpu([{ name: "bare", pid: child.pid ?? 0 }]);
  const opened = await ask({ open: name, settings });
  return {
    url: "url" in opened ? opened.url ?? "" : "",
    cpu,
    async run(run) {
      const before = cpu();
      const report = await ask(run);
      if (!("durationMs" in report)) throw new Error(`Cannot measure bare "${name}": no duration`);
      return {
        rate: run.run / report.durationMs * 1000,
        cpuMs: cpuBetween(before, cpu(), run.run),
        result: report.result,
      };
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.send({ close: true });
      await exited;
    },
  };
}
