import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import type { FileResult, TestFailure } from "./file_result.ts";

/** What the tests of a file came to. */
export interface TestsResult extends Pick<FileResult, "passed" | "skipped"> {
  failures: TestFailure[];
}

interface Waiting {
  file: string;
  /** Errors that were thrown where nothing waits for them; those of a test fail it as well. */
  stray: unknown[];
  result: TestsResult;
  done(result: TestsResult): void;
}

let waiting: Waiting | undefined;

/** Returns what comes of the tests of a file, which run as a suite of its name. */
export function collectResult(file: string): Promise<TestsResult> {
  return new Promise((done) => {
    waiting = { file, stray: [], result: { failures: [], passed: 0, skipped: 0 }, done };
  });
}

/** Notes an error that nothing waited for. */
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
  // What failed is among them with its reason: a test inside, or a hook of the file.
  const { failureType } = error as { failureType?: string };
  if (failureType === "subtestsFailed" || failureType === "cancelledByParent") return [];
  return [{ name, line: line ?? 0, reason: describe(error.cause ?? error) }];
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const nested = cause.cause === undefined ? "" : `\nCaused by ${describe(cause.cause)}`;
  return `${cause.stack ?? cause.message}${nested}`;
}
