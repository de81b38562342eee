const CALL = /\{\{~?#?>\s*["']?([a-z][a-z\d_-]*)/g;

/** Returns the names of partials that a source may call, without parsing it: perhaps more than it does. */
export function calledPartials(source: string): string[] {
  return [...new Set([...source.matchAll(CALL)].map(([, name = ""]) => name))];
}

/** Returns whether a source may read values of the brand. */
export function readsBrand(source: string): boolean {
  return source.includes("@brand.");
}
