// A bare part in a process of its own, so that its CPU time is seen by itself.
import process from "node:process";
import type { BareOrder, BareReport, OpenBare } from "../bare_process.ts";
import { openAcceptance } from "./acceptance.ts";
import { openInsert, openPublish } from "./floors.ts";
import { openNewContext, openPageReuse } from "./print.ts";
import { openRender } from "./render.ts";
import { openNodemailer } from "./smtp.ts";

const PARTS: Record<string, OpenBare> = {
  acceptance: openAcceptance,
  insert: openInsert,
  publish: openPublish,
  pageReuse: openPageReuse,
  newContext: openNewContext,
  render: openRender,
  nodemailer: (settings) => openNodemailer(settings, false),
  nodemailerRaw: (settings) => openNodemailer(settings, true),
};

process.on("disconnect", () => process.exit(0));
process.once("message", async (order: Extract<BareOrder, { open: string }>) => {
  try {
    const part = await PARTS[order.open]?.(order.settings);
    if (part === undefined) throw new Error(`Cannot open "${order.open}": there is no such part`);
    process.on("message", (next: BareOrder) => void answer(next));
    report({ opened: true, ...(part.url === undefined ? {} : { url: part.url }) });

    async function answer(next: BareOrder) {
      try {
        if ("run" in next) report(await timed(() => part?.run?.(next)));
        else await part?.[Symbol.asyncDispose]().finally(() => process.exit(0));
      } catch (error) {
        report({ failed: String(error) });
      }
    }
  } catch (error) {
    report({ failed: String(error) });
  }
});

async function timed(run: () => Promise<number | void> | undefined): Promise<BareReport> {
  const started = performance.now();
  const result = await run();
  const durationMs = performance.now() - started;
  return typeof result === "number" ? { durationMs, result } : { durationMs };
}

function report(message: BareReport): void {
  process.send?.(message);
}
