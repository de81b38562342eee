/** The result of one test file. */
export interface FileResult {
  failures: readonly TestFailure[];
  passed: number;
  skipped: number;
  /** Descriptions of what the file left behind in its process; empty for a clean file. */
  leftovers: readonly string[];
  durationMs: number;
}

/** A test that failed. */
export interface TestFailure {
  name: string;
  /** Line of the test in its file, from 1; 0 if not known. */
  line: number;
  reason: string;
}
