import { isGiven } from "./required_variables.ts";
import { isSlip } from "./_is_slip.ts";
import type { LintInput } from "./lint_input.ts";
import { type Found, WHOLE } from "./lint_finding.ts";
import { nearest } from "./_nearest.ts";
import { type DeadEnd, openDeadEnds, type Shape } from "./_sample_shape.ts";
import type { FieldRead } from "./template_variables.ts";

/** So many fields are looked for among the known ones: more findings are hardly read. */
const MAX_GUESSED = 100;

/** The first use of a path: in a part of the template, or in an option of the whole. */
type Place = Pick<Found, "part" | "line" | "column" | "partial"> & Pick<FieldRead, "path">;

/**
 * Compares the fields that a template reads with those that its sample and the defaults have. No sample
 * shows every field, so only a name that is a slip of the finger prevents publishing.
 */
export function lintFields(
  { source: { sample, variables: declared, page }, variables }: Pick<
    LintInput,
    "source" | "variables"
  >,
): Found[] {
  const defaults = new Map(declared.map(({ name, default: value }) => [name, value]));
  const own = (name: string) => Object.hasOwn(sample, name) ? sample[name] : undefined;
  const find = openDeadEnds((name) => [own(name), defaults.get(name)].filter(isGiven));
  const read: Place[] = variables.flatMap(({ fields = [] }) => fields);
  if (page?.passwordVariable !== undefined) read.push({ ...WHOLE, path: page.passwordVariable });
  const iterated = new Set(read.flatMap(({ path }) => holdersOfItems(path)));
  const found = new Map<string, Found>();
  for (const field of read) {
    const end = find(stepsOf(field.path));
    if (end === undefined || isMap(end, iterated)) continue;
    const path = pathOf([...end.holder, end.step]);
    if (found.has(path)) continue;
    const isKnown = (name: string) => isGiven(own(name)) || defaults.has(name);
    found.set(path, finding(field, { end, isKnown, isGuessed: found.size < MAX_GUESSED }));
  }
  return [...found.values()];
}

interface Finding {
  end: DeadEnd;
  /** Whether there is a variable of a name at the top. */
  isKnown: (name: string) => boolean;
  isGuessed: boolean;
}

function finding(
  { part, line, column, partial }: Place,
  { end: { holder, step, shape }, isKnown, isGuessed }: Finding,
): Found {
  const place = { part, line, column, ...(partial === undefined ? {} : { partial }) };
  const found = (rule: Found["rule"], why: string): Found => ({
    ...place,
    rule,
    message: `"${pathOf([...holder, step])}" is not known: ${why}`,
  });
  const suggest = (path: string) => `did you mean "${path}"?`;
  const guess = isGuessed ? nearest(step, shape.fields) : undefined;
  if (guess !== undefined && isSlip(step, guess)) {
    return found("misspelled_field", suggest(pathOf([...holder, guess])));
  }
  if (shape.fields.size === 0) {
    return found("unknown_field", `"${pathOf(holder)}" is ${kindOf(shape)} in the sample`);
  }
  if (isKnown(step)) return found("unknown_field", suggest(`@root.${step}`));
  if (guess === undefined) return found("unknown_field", "the sample does not have it");
  return found("unknown_field", suggest(pathOf([...holder, guess])));
}

function kindOf({ values }: Shape): string {
  const value = values.find((each) => Array.isArray(each) || typeof each !== "object");
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/**
 * Returns whether the keys of an object are data, so that other requests have other keys: the template
 * iterates over them, or several objects have no key in common.
 */
function isMap({ holder, shape }: DeadEnd, iterated: ReadonlySet<string>): boolean {
  return shape.isVaried || shape.fields.size > 0 && iterated.has(pathOf(holder));
}

/** Returns the paths in a path over whose items the template iterates. */
function holdersOfItems(path: string): string[] {
  return [...path.matchAll(/\[\]/g)].map(({ index }) => path.slice(0, index));
}

function stepsOf(path: string): string[] {
  return path.replaceAll("[]", ".[]").split(".");
}

function pathOf(steps: readonly string[]): string {
  return steps.join(".").replaceAll(".[]", "[]");
}
