import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import type { FileResult, TestFailure } from "./file_result.ts";

/** The result of a file's tests. */
export interface TestsResult extends Pick<FileResult, "passed" | "skipped"> {
  failures: TestFailure[];
}

interface Waiting {
  file: string;
  /** Unhandled errors; those of a test fail it as well. */
  stray: unknown[];
  result: TestsResult;
  done(result: TestsResult): void;
}

let waiting: Waiting | undefined;

/** Returns the result of a file's tests, which run as a suite of its name. */
export function collectResult(file: string): Promise<TestsResult> {
  return new Promise((done) => {
    waiting = { file, stray: [], result: { failures: [], passed: 0, skipped: 0 }, done };
  });
}

/** Records an unhandled error. */
export function noteStray(error: unknown): void {
  waiting?.stray.push(error);
}

/** A reporter of node:test (`--test-reporter`), which prints nothing. */
export default async function* collect(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) if (waiting !== undefined) note(event, waiting);
  yield* [];
}

function note({ type, data }: TestEvent, { file, stray, result, done }: Waiting): void {
  if (type !== "test:pass" && type !== "test:fail") return;
  if (type === "test:fail") result.failures.push(...failuresOf(data));
  else if (data.skip !== undefined && data.skip !== false) result.skipped++;
  else if (data.details.type !== "suite") result.passed++;
  if (data.nesting === 0 && data.name === file) {
    waiting = undefined;
    if (result.failures.length === 0) {
      result.failures.push(...stray.map((error) => ({
        ...{ name: "after the end of a test", line: 0 },
        reason: describe(error),
      })));
    }
    done(result);
  }
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
