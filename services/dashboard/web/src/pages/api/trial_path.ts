import type { Parameter } from "./endpoint_list.ts";

/** Returns the path of a request with the values of its parameters; empty ones of the query are left out. */
export function trialPath(
  path: string,
  parameters: readonly Parameter[],
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(values[name] ?? ""),
  );
  const query = new URLSearchParams(
    parameters.flatMap(({ name, in: place }) =>
      place === "query" && values[name] ? [[name, values[name]]] : []
    ),
  );
  return query.size === 0 ? filled : `${filled}?${query}`;
}
