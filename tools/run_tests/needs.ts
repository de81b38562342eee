import type { ImportGraph } from "../import_graph.ts";

/** The needs of a test file. */
export interface Needs {
  /** Uses the system that is started once for all (`joinSystem()`). */
  sharedSystem: boolean;
  /** Starts a whole system for itself. */
  ownSystem: boolean;
  /** Starts a Chromium. */
  browser: boolean;
  /** Starts programs or threads. */
  programs: boolean;
  /** Uses the database server that is started once for all. */
  database: boolean;
  /** Changes its process permanently, so that no other file can run there afterwards. */
  ownProcess: boolean;
  /** Takes too long for every change. */
  night: boolean;
  /** Takes longer than others that need the same. */
  long: boolean;
}

/**
 * The imports that show a need. Own files are without their ending: written whole, they would count as named
 * by this file, which the runner's own tests import.
 */
export const SIGNS: Readonly<Record<keyof Needs, readonly string[]>> = {
  sharedSystem: ["tests/e2e/shared_system"],
  ownSystem: ["dev/stack"],
  browser: ["npm:playwright-core", "services/pdf/start_browser"],
  // A file that builds the dashboard waits for the shared build, and has nothing to do.
  programs: [
    "node:child_process",
    "node:worker_threads",
    "services/dashboard/build/build_application",
  ],
  database: ["tests/kit/mongo_database"],
  // OpenTelemetry takes one registration in the life of a process.
  ownProcess: ["libs/telemetry/start_telemetry"],
  night: ["tests/kit/nightly"],
  long: ["tests/kit/takes_long"],
};

/** Returns the needs of a test file, by its imports. */
export function needsOf(file: string, graph: ImportGraph): Needs {
  const reach = graph.reachOf(file);
  const has = (need: keyof Needs, among = reach) =>
    SIGNS[need].some((sign) => among.has(sign) || among.has(`${sign}.ts`));
  return {
    sharedSystem: has("sharedSystem"),
    ownSystem: has("ownSystem") && !has("sharedSystem"),
    browser: has("browser"),
    programs: has("programs"),
    database: has("database"),
    // A service that the file starts changes a process of its own.
    ownProcess: has("ownProcess", graph.loadedBy(file)),
    night: has("night"),
    long: has("long"),
  };
}

/** Returns whether a file needs no server and no build. */
export function isPure({ sharedSystem, ownSystem, browser, programs, database }: Needs): boolean {
  return !(sharedSystem || ownSystem || browser || programs || database);
}

/** Returns whether a file keeps several processes at work. */
export function isHeavy({ sharedSystem, ownSystem, browser }: Needs): boolean {
  return sharedSystem || ownSystem || browser;
}
