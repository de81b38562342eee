import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import type { FileResult, TestFailure } from "./file_result.ts";

/** The result of a file's tests. */
export interface TestsResult extends Pick<FileResult, "passed" | "skipped"> {
  failures: TestFailure[];
  /** Whether a test goes on: it probably waits for what an unhandled error has ended. */
  isStuck?: boolean;
}

interface Waiting {
  file: string;
  /** Unhandled errors. */
  stray: unknown[];
  result: TestsResult;
  done(result: TestsResult): void;
}

let waiting: Waiting | undefined;

/** Time for a file to end after an unhandled error, in milliseconds. */
const STUCK_MS = 5000;

/** Returns the result of a file's tests, which run as a suite of its name. */
export function collectResult(file: string): Promise<TestsResult> {
  return new Promise((done) => {
    waiting = { file, stray: [], result: { failures: [], passed: 0, skipped: 0 }, done };
  });
}

/** Records an unhandled error. It fails its file, soon even if a test waits forever. */
export function noteStray(error: unknown): void {
  const current = waiting;
  if (current === undefined) return;
  current.stray.push(error);
  setTimeout(() => {
    if (waiting === current) finish({ ...current, result: { ...current.result, isStuck: true } });
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
    const reason = "It was declared after its file was loaded: no suite may wait before its tests";
    result.failures.push({ name: data.name, line: data.line ?? 0, reason });
  }
  if (type !== "test:pass" && type !== "test:fail") return;
  if (type === "test:fail") result.failures.push(...failuresOf(data));
  else if (data.skip !== undefined && data.skip !== false) result.skipped++;
  else if (data.details.type !== "suite") result.passed++;
  if (data.nesting === 0 && data.name === file) finish(current);
}

function finish({ stray, result, done }: Waiting): void {
  waiting = undefined;
  if (result.failures.length === 0) {
    result.failures.push(...stray.map((error) => ({
      ...{ name: "an unhandled error", line: 0 },
      reason: describe(error),
    })));
  }
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
