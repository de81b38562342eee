/** Texts for people: they may change. */
const FREE = ["description", "summary", "title", "info", "default", "servers"];

/**
 * Lists what an earlier OpenAPI document promised and a later one lacks: removed paths, answers, fields,
 * types and codes, changed limits, and fields of requests that became required.
 */
export function removalsOf(before: unknown, after: unknown, path = ""): string[] {
  if (Array.isArray(before)) return removedItems(before, after, path);
  if (typeof before !== "object" || before === null) {
    return before === after ? [] : [`${path}: ${show(before)} became ${show(after)}`];
  }
  if (typeof after !== "object" || after === null) return [`${path} is gone`];
  const later = after as Record<string, unknown>;
  return [
    ...newlyRequired(before, later, path),
    ...Object.entries(before).filter(([key]) => !FREE.includes(key) || isName(path)).flatMap(
      ([key, value]) =>
        key in later
          ? removalsOf(value, later[key], `${path}/${key}`)
          : key === "required" && isInRequest(path)
          ? []
          : [`${path}/${key} is gone`],
    ),
  ];
}

function removedItems(before: readonly unknown[], after: unknown, path: string): string[] {
  const later = Array.isArray(after) ? after : [];
  // A field of a request may become optional; a field of an answer may not.
  if (path.endsWith("/required") && isInRequest(path)) return [];
  return before.flatMap((item, index) => {
    if (typeof item !== "object" || item === null) {
      return later.includes(item) ? [] : [`${path}: ${show(item)} is gone`];
    }
    const { name } = item as { name?: unknown };
    const same = name === undefined ? later[index] : later.find((each) => each?.name === name);
    return removalsOf(item, same, `${path}/${String(name ?? index)}`);
  });
}

function newlyRequired(before: object, after: Record<string, unknown>, path: string): string[] {
  if (!isInRequest(path) || !("properties" in after)) return [];
  const listOf = (schema: object) => "required" in schema ? schema.required as string[] : [];
  return listOf(after).filter((name) => !listOf(before).includes(name))
    .map((name) => `${path}/required: "${name}" is new`);
}

/** Returns whether the keys at a path are names of fields, as directly below `properties`. */
function isName(path: string): boolean {
  return path.endsWith("/properties");
}

/** Returns whether clients write what is at a path. They read the bodies of webhooks. */
function isInRequest(path: string): boolean {
  return path.includes("/requestBody/") && !path.startsWith("/webhooks/");
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
