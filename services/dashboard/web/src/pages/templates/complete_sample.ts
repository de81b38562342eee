import type { Variables, VariableValue } from "@posthaste/contracts";

import { sampleValue } from "./sample_value.ts";

type Values = Record<string, VariableValue>;

/** Returns the paths that are missing in the sample: `customer.name`, `lines[].price`. */
export function lackingPaths(sample: Variables, paths: readonly string[]): string[] {
  return paths.filter((path) => !leadsTo(sample, stepsOf(path)));
}

/**
 * Returns the sample with a value at every missing path: a field gets a typical value for its name,
 * a list gets one item. Existing values stay, even if they have another type.
 */
export function completeSample(sample: Variables, paths: readonly string[]): Variables {
  const completed = structuredClone(sample);
  // `lines[].price` shows that `lines` is a list; `lines` alone does not.
  const isOfMore = (path: string) =>
    paths.some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[]`));
  for (const path of paths) if (!isOfMore(path)) put(completed, stepsOf(path));
  return completed;
}

function stepsOf(path: string): string[] {
  return path.replaceAll("[]", ".[]").split(".").filter((step) => step !== "");
}

function leadsTo(value: unknown, [step, ...rest]: string[]): boolean {
  if (step === undefined) return value !== undefined;
  if (typeof value !== "object" || value === null) return false;
  // An empty list is a choice of the author: nothing is missing in it.
  if (step === "[]") {
    return Array.isArray(value) && (value.length === 0 || leadsTo(value[0], rest));
  }
  // Properties of every list and text.
  if (Array.isArray(value)) return step === "length";
  return Object.hasOwn(value, step) && leadsTo((value as Values)[step], rest);
}

function put(values: Values, [name, ...rest]: string[]): void {
  if (name === undefined || name === "__proto__") return;
  if (!Object.hasOwn(values, name)) values[name] = newValue(name, rest);
  else putInside(values[name], rest);
}

function putInside(value: VariableValue | undefined, steps: string[]): void {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) return put(value, steps);
  if (step === "[]" && value.length > 0) putInside(value[0], rest);
}

function newValue(name: string, [step, ...rest]: string[]): VariableValue {
  if (step === undefined) return sampleValue(name);
  if (step === "[]") return [newValue(singular(name), rest)];
  const inner: Values = {};
  put(inner, [step, ...rest]);
  return inner;
}

function singular(name: string): string {
  return name.endsWith("s") ? name.slice(0, -1) : name;
}
