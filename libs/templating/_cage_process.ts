import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { FillOrder, Load, Order, Report } from "./_cage_protocol.ts";
import type { TemplateSource } from "./fill.ts";

interface Held {
  readonly id: number;
  readonly source: string;
}

/** One worker process, and what it holds. */
export interface CageProcess {
  readonly isReady: () => boolean;
  /** @throws if the values cannot be cloned */
  readonly send: (order: Order) => void;
  /** The order for these fills, with the sources that the worker does not have yet. */
  readonly orderFor: (
    fills: readonly { templates: readonly (readonly [string, TemplateSource])[]; data: unknown }[],
    outputLimit: number,
  ) => Order;
  readonly kill: () => void;
  /** Kills it, and settles when it has gone. */
  readonly stop: () => Promise<void>;
}

/** How to start a worker, and whom to tell. */
export interface CageProcessOptions {
  readonly memoryMb: number;
  /** Compiled templates that a worker keeps; the least lately used goes first. */
  readonly keptTemplates: number;
  readonly onReport: (report: Report) => void;
  readonly onExit: () => void;
}

const WORKER = fileURLToPath(new URL("./cage_worker.ts", import.meta.url));

/** Starts a worker: no environment, no output, no writing of files, no further processes. */
export function startCageProcess(options: CageProcessOptions): CageProcess {
  const child: ChildProcess = fork(WORKER, [String(process.pid)], {
    env: {},
    execArgv: [
      `--max-old-space-size=${options.memoryMb}`,
      "--permission",
      "--allow-fs-read=*",
      "--allow-worker",
      "--disable-proto=delete",
      "--no-warnings",
    ],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const held = new Map<string, Held>();
  let ready = false;
  let lastId = 0;
  let gone = false;
  child.on("message", (report: Report) => {
    if (gone) return;
    if ("ready" in report) ready = true;
    options.onReport(report);
  });
  const leave = () => {
    if (gone) return;
    gone = true;
    ready = false;
    options.onExit();
  };
  child.on("error", leave);
  child.on("exit", leave);

  function hold(template: TemplateSource, load: Load[], forget: number[]): number {
    const { source, escape, locale = "en", timeZone = "UTC" } = template;
    const key = `${escape} ${locale} ${timeZone} ${template.key}`;
    const found = held.get(key);
    held.delete(key);
    if (found && found.source === source) {
      held.set(key, found);
      return found.id;
    }
    if (found) forget.push(found.id);
    const id = ++lastId;
    held.set(key, { id, source });
    load.push({ id, source, escape, locale, timeZone });
    return id;
  }

  function orderFor(
    fills: Parameters<CageProcess["orderFor"]>[0],
    outputLimit: number,
  ): Order {
    const load: Load[] = [];
    const forget: number[] = [];
    // Forgetting comes before loading in the worker, so a batch never loses what it needs itself.
    for (const key of [...held.keys()].slice(0, Math.max(0, held.size - options.keptTemplates))) {
      forget.push(held.get(key)?.id ?? 0);
      held.delete(key);
    }
    const orders: FillOrder[] = fills.map(({ templates, data }) => ({
      parts: templates.map(([part, template]) => [part, hold(template, load, forget)] as const),
      data,
    }));
    return { load, forget, fills: orders, outputLimit };
  }

  return {
    isReady: () => ready,
    send: (order) => {
      child.send(order, () => {});
    },
    orderFor,
    kill: () => {
      ready = false;
      child.kill("SIGKILL");
    },
    stop: async () => {
      if (gone) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}
