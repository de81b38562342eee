import type { FoundVariable } from "@posthaste/contracts";
import type { TemplateSource } from "../../../../../interface/templates.ts";
import { nameOf } from "./tag_name.ts";
import { type EditTarget, isAtTop, tokensOf } from "./text_editing.ts";

/** A value that can be put into a text. */
export interface OfferedValue {
  name: string;
  /** The tag that prints it. */
  source: string;
  /** What the preview shows for it. */
  shown: string;
}

/**
 * Returns the values that a person may put into a text: those that it had, and outside of loops the variables
 * that the template prints anyway.
 */
export function offeredValues({ before, source, target, shown, found = [] }: {
  before: string;
  source: TemplateSource;
  target: EditTarget;
  /** What the preview shows for the values of the text, in order. */
  shown: readonly string[];
  found: readonly FoundVariable[] | undefined;
}): OfferedValue[] {
  const own = tokensOf(before, target).filter(({ type }) => type === "value")
    .map(({ key }, index) => ({ name: nameOf(key), source: key, shown: shown[index] ?? "" }));
  const paths = isAtTop(source, target) ? found.flatMap((variable) => variable.paths) : [];
  const others = paths.flatMap((path): OfferedValue[] => {
    if (!/^[a-z_]\w*(?:\.[a-z_]\w*)*$/i.test(path)) return [];
    const value = path.split(".").reduce<unknown>(
      (inner, step) =>
        typeof inner === "object" && inner !== null
          ? (inner as Record<string, unknown>)[step]
          : undefined,
      source.sample,
    );
    const isText = typeof value === "string" || typeof value === "number";
    return isText ? [{ name: path, source: `{{ ${path} }}`, shown: String(value) }] : [];
  });
  const bySource = new Map([...own, ...others].map((value) => [value.source, value]));
  return [...bySource.values()];
}
