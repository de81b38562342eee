/** What each field of a filter asks of a line. The compiler refuses a field that has no test. */
export type Tests<Line, Filter> = {
  readonly [Name in keyof Filter]-?: (
    line: Line,
    wanted: Exclude<Filter[Name], undefined>,
  ) => boolean;
};

/** Returns whether a line meets each condition of a filter. A condition that is left out does not apply. */
export function meets<Line, Filter extends object>(
  line: Line,
  filter: Filter,
  tests: Tests<Line, Filter>,
): boolean {
  for (const name in tests) {
    const wanted = filter[name];
    if (wanted === undefined) continue;
    if (!tests[name](line, wanted as Exclude<Filter[typeof name], undefined>)) return false;
  }
  return true;
}
