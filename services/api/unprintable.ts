import type { TemplateRead, Variables } from "@posthaste/contracts";

/**
 * Lists the paths of values that are objects or arrays although every branch of the template prints
 * them as text: the template would fail, or print something unreadable.
 */
export function unprintableIn(
  reads: readonly TemplateRead[] | undefined,
  variables: Variables,
): string[] {
  return (reads ?? []).flatMap(({ path, always }) =>
    always && !path.includes("[]") && isUnprintable(valueAt(variables, path)) ? [path] : []
  );
}

function isUnprintable(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function valueAt(variables: Variables, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    const isThere = isUnprintable(value) && Object.hasOwn(value as object, name);
    return isThere ? (value as Record<string, unknown>)[name] : undefined;
  }, variables);
}
