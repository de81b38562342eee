/** Does some work for many callers, but for `count` of them at a time; the others wait in their order. */
export function atMost<Args extends unknown[], Result>(
  count: number,
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let begun = 0;
  return async (...args) => {
    if (begun >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else begun++;
    try {
      return await work(...args);
    } finally {
      // Whoever is next takes the place over.
      const next = waiting.shift();
      if (next === undefined) begun--;
      else next();
    }
  };
}
