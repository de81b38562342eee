/** The greatest depth of a value that is searched, and the most items of a list. */
const DEPTH = 6;
const ITEMS = 20;

/**
 * Returns all paths of a value, in the notation of a template's variables: `customer.name`,
 * `lines[].price`.
 */
export function valuePaths(value: unknown, depth: number = DEPTH): string[] {
  if (typeof value !== "object" || value === null || depth === 0) return [];
  if (Array.isArray(value)) {
    const paths = value.slice(0, ITEMS).flatMap((item) => valuePaths(item, depth - 1));
    return [...new Set(paths)].map((path) => path.startsWith("[]") ? path : `[].${path}`);
  }
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...valuePaths(inner, depth - 1).map((path) => join(name, path)),
  ]);
}

function join(name: string, path: string): string {
  return path.startsWith("[]") ? name + path : `${name}.${path}`;
}
