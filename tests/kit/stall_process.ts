/**
 * Keeps this process from everything else for some milliseconds, as a machine does that gives it no processor.
 * What was asked of others meanwhile is there, and limits are over, when it comes to look at either.
 */
export function stallProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
