import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

/** What a process has before a test file, to compare with what it has afterwards. */
export interface Inventory {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** How many listeners each event of the process has. */
  listeners: ReadonlyMap<string | symbol, number>;
  globals: ReadonlyMap<string | symbol, unknown>;
  /** How many of each kind of handle keep the process alive. */
  handles: ReadonlyMap<string, number>;
}

/** Handles are closed in the background: so long a file may take for it. */
const PATIENCE_MS = 3000;
const LOOK_EVERY_MS = 10;

/**
 * Files and pipes of the process itself, which come and go with what it prints. An immediate is over in the
 * next turn: node:test has some of its own.
 */
const OWN_HANDLES = new Set([
  ...["TTYWrap", "PipeWrap", "FSReqCallback", "FSReqPromise", "CloseReq", "Immediate"],
]);

/**
 * What Node, zod, signal-exit, CodeMirror, PDF.js and tslib (all of `__extends` and its like) add for good
 * when they are first used.
 */
const OWN_GLOBALS =
  /undici\.globalDispatcher|^__zod_|signal-exit emitter|^Symbol\(ͼ\)$|^_?pdfjs|^DOMMatrix$|^__[a-zA-Z]+$/;

/** Lists what the process has now. */
export function takeInventory(): Inventory {
  const keys = Reflect.ownKeys(globalThis).filter((key) => !OWN_GLOBALS.test(String(key)));
  return {
    env: environment(),
    cwd: process.cwd(),
    listeners: new Map(
      // What is done at the very end disturbs no other file.
      process.eventNames().filter((name) => name !== "exit")
        .map((name) => [name, process.listenerCount(name)]),
    ),
    // Reading some of Node's own would load what belongs to them.
    globals: new Map(keys.map((key) => [key, valueOf(key)])),
    handles: countHandles(),
  };
}

/**
 * Returns what is there now and was not before, in words. Waits up to 3 s for handles to close.
 */
export async function describeLeftovers(before: Inventory): Promise<string[]> {
  for (let waitedMs = 0; newHandles(before).length > 0; waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= PATIENCE_MS) break;
    await delay(LOOK_EVERY_MS);
  }
  const after = takeInventory();
  return [
    ...changedKeys(before.env, after.env).map((name) => `environment variable ${name}`),
    ...(before.cwd === after.cwd ? [] : [`working directory ${after.cwd}`]),
    ...[...after.listeners].filter(([name, count]) => count > (before.listeners.get(name) ?? 0))
      .map(([name]) => `listener for the process's "${String(name)}"`),
    ...[...after.globals].filter(([key, value]) => !Object.is(before.globals.get(key), value))
      .map(([key]) => `global ${String(key)}`),
    ...newHandles(before),
  ];
}

function environment(): Inventory["env"] {
  const { NODE_TEST_WORKER_ID: _, ...env } = process.env;
  return env;
}

function valueOf(key: string | symbol): unknown {
  const { value } = Object.getOwnPropertyDescriptor(globalThis, key) ?? {};
  // The interfaces of OpenTelemetry keep what is registered with them in an object.
  if (typeof key === "symbol" && typeof value === "object" && value !== null) {
    return Object.keys(value).join();
  }
  return value;
}

function newHandles({ handles }: Inventory): string[] {
  return [...countHandles()].filter(([kind, count]) => count > (handles.get(kind) ?? 0))
    .map(([kind, count]) => `${count - (handles.get(kind) ?? 0)} open ${kind}`);
}

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (!OWN_HANDLES.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function changedKeys(before: Inventory["env"], after: Inventory["env"]): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => before[key] !== after[key]);
}
