/** Does numbered pieces of work, a limited number at a time. */
export async function inFlight(
  { count, width }: { count: number; width: number },
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const priority = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, priority));
}
