import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { cpuBetween, type CpuTimes, readCpu } from "./process_cpu.ts";

/** The input of the baselines: the same as of the system beside them. */
export interface BaselineSettings {
  sinkPort: number;
  /** Where the sink answers 50 ms later. */
  farSinkPort: number;
  mongodbUrl: string;
  natsUrl: string;
  /** A filled mail. */
  mail: { subject: string; html: string; text: string };
  /** The templates of that mail. */
  templates: { subject: string; html: string; text: string };
  /** A filled invoice, whose number is `I-baseline`. */
  invoice: string;
  /** Body of a send with one recipient. */
  body: string;
  browser: { executablePath: string; env: Record<string, string> };
}

/** To the process of a baseline. */
export type BaselineOrder =
  | { open: string; settings: BaselineSettings }
  | BaselineRun
  | { close: true };

/** A measurement. */
export interface BaselineRun {
  /** Units of work. */
  run: number;
  /** Size of the PDF that each mail carries. @default {0} */
  pdfBytes?: number;
  /** What a printer prints, filled. @default {the invoice of one page} */
  invoice?: string;
}

/** From the process of a baseline. */
export type BaselineReport =
  | { opened: true; url?: string }
  | { durationMs: number; result?: number | undefined }
  | { failed: string };

/** A part by itself, without the system around it. */
export interface BaselinePart extends AsyncDisposable {
  /** Its address, if it is a server. */
  url?: string;
  /** Does the work, if it is not a server. A printer returns the size of a PDF in bytes. */
  run?(run: BaselineRun): Promise<number | void>;
}

/** Opens a baseline. */
export type OpenBaseline = (settings: BaselineSettings) => Promise<BaselinePart>;

/** A baseline that runs. */
export interface BaselineProcess extends AsyncDisposable {
  readonly url: string;
  /** Returns the CPU time so far, of it and its descendants. */
  cpu(): CpuTimes;
  /** Does the work, and returns units per second, CPU time per unit, and the part's result. */
  run(run: BaselineRun): Promise<{ rate: number; cpuMs: CpuTimes; result?: number | undefined }>;
}

/** Starts a baseline, by its name in `baseline/worker.ts`. */
export async function openBaselineProcess(
  name: string,
  settings: BaselineSettings,
): Promise<BaselineProcess> {
  const child = fork(fileURLToPath(new URL("./baseline/worker.ts", import.meta.url)));
  const ask = async (order: BaselineOrder): Promise<BaselineReport> => {
    const answered = new AbortController();
    const { signal } = answered;
    const answer = Promise.race([
      once(child, "message", { signal }).then(([report]): BaselineReport => report),
      once(child, "exit", { signal }).then(
        ([code]): BaselineReport => ({ failed: `it ended with ${code}` }),
      ),
    ]);
    child.send(order);
    const report = await answer;
    // Removes the other listener.
    answered.abort();
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
