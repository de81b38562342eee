// A baseline in a process of its own, so that its CPU time is seen by itself.
import process from "node:process";
import type {
  BaselineOrder,
  BaselinePart,
  BaselineReport,
  OpenBaseline,
} from "../baseline_process.ts";
import { openAcceptance } from "./acceptance.ts";
import { openInsert, openPublish } from "./floors.ts";
import { openNewContext, openPageReuse } from "./print.ts";
import { openRender } from "./render.ts";
import { CONNECTIONS } from "../workload.ts";
import { openNodemailer } from "./smtp.ts";

const PARTS: Record<string, OpenBaseline> = {
  acceptance: openAcceptance,
  insert: openInsert,
  publish: openPublish,
  pageReuse: openPageReuse,
  newContext: openNewContext,
  render: openRender,
  nodemailer: (settings) => openNodemailer(settings),
  nodemailerFilled: (settings) => openNodemailer(settings, { from: "filled" }),
  nodemailerRaw: (settings) => openNodemailer(settings, { from: "raw" }),
  nodemailerWide: (settings) => openNodemailer(settings, { connections: CONNECTIONS.many }),
  nodemailerWideFilled: (settings) =>
    openNodemailer(settings, { from: "filled", connections: CONNECTIONS.many }),
  nodemailerFar: (settings) =>
    openNodemailer(settings, { isFar: true, connections: CONNECTIONS.far }),
};

process.on("disconnect", () => process.exit(0));
process.once("message", (order: Extract<BaselineOrder, { open: string }>) => void open(order));

async function open(order: Extract<BaselineOrder, { open: string }>): Promise<void> {
  try {
    const part = await PARTS[order.open]?.(order.settings);
    if (part === undefined) throw new Error(`Cannot open "${order.open}": there is no such part`);
    process.on("message", (next: BaselineOrder) => void answer(next, part));
    report({ opened: true, ...(part.url === undefined ? {} : { url: part.url }) });
  } catch (error) {
    report({ failed: String(error) });
  }
}

async function answer(order: BaselineOrder, part: BaselinePart): Promise<void> {
  try {
    if ("run" in order) return report(await timed(() => part.run?.(order)));
    await part[Symbol.asyncDispose]();
  } catch (error) {
    report({ failed: String(error) });
  }
  if ("close" in order) process.exit();
}

async function timed(run: () => Promise<number | void> | undefined): Promise<BaselineReport> {
  const started = performance.now();
  const result = await run();
  const durationMs = performance.now() - started;
  return typeof result === "number" ? { durationMs, result } : { durationMs };
}

function report(message: BaselineReport): void {
  process.send?.(message);
}
