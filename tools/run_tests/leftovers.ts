import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

/** The state of a process before a test file, to compare with the state after it. */
export interface Inventory {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Number of listeners of each event of the process. */
  listeners: ReadonlyMap<string | symbol, number>;
  globals: ReadonlyMap<string | symbol, unknown>;
  /** Number of handles of each kind that keep the process alive. */
  handles: ReadonlyMap<string, number>;
}

/** Maximum time for closing handles in the background, in milliseconds. */
const PATIENCE_MS = 3000;
const LOOK_EVERY_MS = 10;

/**
 * Files and pipes of the process itself, which open and close with its output. An immediate ends in the next
 * turn: node:test has some of its own.
 */
const OWN_HANDLES = new Set([
  ...["TTYWrap", "PipeWrap", "FSReqCallback", "FSReqPromise", "CloseReq", "Immediate"],
]);

/**
 * Globals that Node, zod, signal-exit, CodeMirror, PDF.js and tslib (`__extends` and similar) add permanently
 * on first use.
 */
const OWN_GLOBALS =
  /undici\.globalDispatcher|^__zod_|signal-exit emitter|^Symbol\(ͼ\)$|^_?pdfjs|^DOMMatrix$|^__[a-zA-Z]+$/;

/** Returns the current state of the process. */
export function takeInventory(): Inventory {
  const keys = Reflect.ownKeys(globalThis).filter((key) => !OWN_GLOBALS.test(String(key)));
  return {
    env: environment(),
    cwd: process.cwd(),
    listeners: new Map(
      // Listeners for the very end disturb no other file.
      process.eventNames().filter((name) => name !== "exit")
        .map((name) => [name, process.listenerCount(name)]),
    ),
    // Reading some of Node's own would load what belongs to them.
    globals: new Map(keys.map((key) => [key, valueOf(key)])),
    handles: countHandles(),
  };
}

/** Returns descriptions of everything that is new since `before`. Waits up to 3 s for handles to close. */
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
  // OpenTelemetry's interfaces keep registrations in an object.
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
