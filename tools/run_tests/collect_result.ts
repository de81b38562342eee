import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import type { FileResult, TestFailure } from "./file_result.ts";

/** The result of a file's tests. */
export interface TestsResult extends Pick<FileResult, "passed" | "skipped"> {
  failures: TestFailure[];
  /** Whether a test was still running five seconds after an unhandled error. */
  isStuck?: boolean;
}

interface Waiting {
  file: string;
  /** Unhandled errors. */
  unhandled: unknown[];
  result: TestsResult;
  done(result: TestsResult): void;
}

// Tests replace the global one by a clock of their own.
const { setTimeout } = globalThis;

let waiting: Waiting | undefined;

/** Time for a file to end after an unhandled error, in milliseconds. */
const STUCK_MS = 5000;

/** Returns the result of a file's tests, which run as a suite of its name. */
export function collectResult(file: string): Promise<TestsResult> {
  return new Promise((done) => {
    waiting = { file, unhandled: [], result: { failures: [], passed: 0, skipped: 0 }, done };
  });
}

/** Records an unhandled error. It fails its file, within {@linkcode STUCK_MS} even if a test never ends. */
export function noteUnhandled(error: unknown): void {
  const current = waiting;
  if (current === undefined) return;
  current.unhandled.push(error);
  setTimeout(() => {
    if (waiting !== current) return;
    current.result.isStuck = true;
    finish(current);
  }, STUCK_MS).unref();
}

/** A reporter of node:test (`--test-reporter`), which prints nothing. */
export default async function* collect(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) if (waiting !== undefined) note(event, waiting);
  yield* [];
}

function note({ type, data }: TestEvent, current: Waiting): void {
  const { file, result } = current;
  if (type === "test:enqueue" && data.nesting === 0 && data.name !== file) {
    const reason = "Declared too late: a suite must declare its tests before its first `await`";
    result.failures.push({ name: data.name, line: data.line ?? 0, reason });
  }
  if (type !== "test:pass" && type !== "test:fail") return;
  if (type === "test:fail") result.failures.push(...failuresOf(data));
  else if (data.skip !== undefined && data.skip !== false) result.skipped++;
  else if (data.details.type !== "suite") result.passed++;
  if (data.nesting === 0 && data.name === file) finish(current);
}

function finish({ unhandled, result, done }: Waiting): void {
  waiting = undefined;
  result.failures.push(...unhandled.map((error) => ({
    ...{ name: "an unhandled error", line: 0 },
    reason: describe(error),
  })));
  done(result);
}

function failuresOf({ name, line, details: { error } }: EventData.TestFail): TestFailure[] {
  // The failed test inside, or the failed hook of the file, is among them with its reason.
  const { failureType } = error as { failureType?: string };
  if (failureType === "subtestsFailed" || failureType === "cancelledByParent") return [];
  return [{ name, line: line ?? 0, reason: describe(error.cause ?? error) }];
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const nested = cause.cause === undefined ? "" : `\nCaused by ${describe(cause.cause)}`;
  return `${cause.stack ?? cause.message}${nested}`;
}
