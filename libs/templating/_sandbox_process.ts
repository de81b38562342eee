import { type ChildProcess, fork, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { FillOrder, Load, Order, Report } from "./_sandbox_protocol.ts";
import type { TemplateSource } from "./fill.ts";
import { openProcessorTime } from "./_processor_time.ts";

interface Held {
  readonly id: number;
  readonly source: string;
  readonly assets: TemplateSource["assets"];
  readonly weight: number;
}

/** One worker process, and the templates that it holds. */
export interface SandboxProcess {
  readonly isReady: () => boolean;
  /** Returns how many orders it got. After the first, its memory holds more than its current work. */
  readonly jobs: () => number;
  /** Returns its processor time, in milliseconds; `undefined` if the system does not report it. */
  readonly cpuMs: () => number | undefined;
  /** Sends an order. @throws If the values cannot be cloned. */
  readonly send: (order: Order) => void;
  /** Returns the order for these fills, with the sources that the worker does not have yet. */
  readonly orderFor: (
    fills: readonly { templates: readonly (readonly [string, TemplateSource])[]; data: unknown }[],
    outputLimit: number,
  ) => Order;
  readonly kill: () => void;
  /** Kills it, and settles when it has ended. */
  readonly stop: () => Promise<void>;
}

/** The start options of a worker, and its callbacks. */
export interface SandboxProcessOptions {
  readonly memoryMb: number;
  /** The most compiled templates that a worker keeps. The least recently used is dropped first. */
  readonly keptTemplates: number;
  /** The most that these may weigh together: their characters, and 1,000 for each placeholder. */
  readonly keptWeight: number;
  readonly onReport: (report: Report) => void;
  readonly onExit: () => void;
}

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** The worker's code, and all that it can read: no settings, no secrets, no /proc. */
const READABLE = process.versions["deno"] === undefined
  ? [HERE, ...packageFolders(HERE)].map((folder) => `--allow-fs-read=${folder}`)
  : [];

/**
 * Starts a program of this folder with no environment, no output, no files but the code, and no further
 * processes. Its working directory is its own folder, because MJML looks for its settings there. The number
 * of this process is the first argument.
 */
export function forkSandboxed(
  program: string,
  args: readonly string[],
  { memoryMb }: Pick<SandboxProcessOptions, "memoryMb">,
): ChildProcess {
  const all = [String(process.pid), ...args];
  const options = {
    cwd: HERE,
    env: {},
    serialization: "advanced" as const,
    stdio: ["ignore", "ignore", "ignore", "ipc"] satisfies StdioOptions,
  };
  // Deno's own fork() would give the child all permissions.
  if (process.versions["deno"] !== undefined) {
    return spawn(join(HERE, "_sandbox.sh"), [String(memoryMb), program, ...all], options);
  }
  return fork(join(HERE, program), all, {
    ...options,
    execArgv: [
      `--max-old-space-size=${memoryMb}`,
      "--permission",
      ...READABLE,
      "--allow-worker",
      "--disable-proto=delete",
      "--no-warnings",
    ],
  });
}

/** Starts a worker. */
export function startSandboxProcess(options: SandboxProcessOptions): SandboxProcess {
  const child = forkSandboxed("sandbox_worker.ts", [], options);
  const time = openProcessorTime(child.pid);
  const held = new Map<string, Held>();
  let heldWeight = 0;
  let jobs = 0;
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
    time.close();
    options.onExit();
  };
  child.on("error", leave);
  child.on("exit", leave);

  function hold(template: TemplateSource, load: Load[], forget: number[]): number {
    const { source, escape, locale = "en", timeZone = "UTC", assets } = template;
    const key = `${escape} ${locale} ${timeZone} ${template.key}`;
    const found = held.get(key);
    held.delete(key);
    if (found && found.source === source && isSameAssets(found.assets, assets)) {
      held.set(key, found);
      return found.id;
    }
    if (found) drop(found, forget);
    const id = ++lastId;
    const weight = weightOf(source) + assetWeight(assets);
    held.set(key, { id, source, assets, weight });
    heldWeight += weight;
    load.push({ id, source, escape, locale, timeZone, assets });
    return id;
  }

  function drop({ id, weight }: Held, forget: number[]): void {
    forget.push(id);
    heldWeight -= weight;
  }

  function orderFor(
    fills: Parameters<SandboxProcess["orderFor"]>[0],
    outputLimit: number,
  ): Order {
    const load: Load[] = [];
    const forget: number[] = [];
    // The worker forgets before it loads, so a batch never loses what it needs itself.
    for (const [key, each] of held) {
      if (held.size <= options.keptTemplates && heldWeight <= options.keptWeight) break;
      drop(each, forget);
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
    jobs: () => jobs,
    cpuMs: time.read,
    send: (order) => {
      jobs++;
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

/** Returns the weight of a source. Compiled, a placeholder takes far more memory than a character of text. */
function weightOf(source: string): number {
  if (typeof source !== "string") return 0;
  let weight = source.length;
  for (let from = source.indexOf("{{"); from !== -1; from = source.indexOf("{{", from + 2)) {
    weight += 1_000;
  }
  return weight;
}

type Assets = TemplateSource["assets"];

function assetWeight(assets: Assets): number {
  return Object.values(assets ?? {}).reduce((sum, { length }) => sum + length, 0);
}

function isSameAssets(one: Assets = {}, other: Assets = {}): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length &&
    names.every((name) => one[name] === other[name]);
}

/** Returns where Node looks for packages, from this folder upwards. */
function packageFolders(folder: string): string[] {
  const found = join(folder, "node_modules");
  const above = dirname(folder);
  const rest = above === folder ? [] : packageFolders(above);
  return mayRead(found) && existsSync(found) ? [realpathSync(found), ...rest] : rest;
}

/** Returns whether Node's own permission flags allow this process to read a path; true without them. */
function mayRead(path: string): boolean {
  return process.permission?.has("fs.read", path) ?? true;
}
