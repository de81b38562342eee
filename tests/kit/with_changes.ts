/** Parts of dependencies: whole functions and values, and single members of groups. */
export type Changes<Deps> = {
  [Name in keyof Deps]?: Deps[Name] extends (...args: never[]) => unknown ? Deps[Name]
    : Partial<Deps[Name]>;
};

/** Returns dependencies with some replaced; of a group, only the members that are named. */
export function withChanges<Deps extends object>(deps: Deps, changes: Changes<Deps>): Deps {
  const merged = Object.entries(changes).map(([name, change]) => {
    const before = deps[name as keyof Deps];
    return [name, isPlain(before) && isPlain(change) ? { ...before, ...change } : change];
  });
  return { ...deps, ...Object.fromEntries(merged) };
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
}
