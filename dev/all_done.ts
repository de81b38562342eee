/** Waits for all, then throws the error of the first that failed. */
export async function allDone(promises: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
