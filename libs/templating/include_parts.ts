import { checkTemplate, type TemplateParts } from "./check_template.ts";
import { type IncludedPart, includePartials } from "./_include_partials.ts";
import type { Includes } from "./includes.ts";
import {
  InvalidTemplateError,
  TEMPLATE_PARTS,
  type TemplateError,
  type TemplatePart,
} from "./template_error.ts";
import { type TemplateVariable, templateVariables } from "./template_variables.ts";

/** The parts of a template with all that they include, checked. */
export interface WholeTemplate {
  readonly parts: TemplateParts;
  /** Every fault, where it was written: in the template or in a partial. */
  readonly errors: readonly TemplateError[];
  /** What all of it reads, with the places of the first uses. */
  readonly variables: readonly TemplateVariable[];
  /** Names of the partials in it. */
  readonly partials: readonly string[];
  /** Returns something in a part of it at the place where that was written, in the template or a partial. */
  readonly placeOf: <T extends { line: number; column: number; partial?: string | undefined }>(
    part: TemplatePart,
    found: T,
  ) => T;
}

/**
 * Includes partials and brand values in the parts of a template, and checks the whole. A part that cannot be
 * put together has one error, and reads nothing. On a malicious source this takes up to a second.
 */
export function includeParts(
  sources: { readonly [Part in TemplatePart]?: string | undefined },
  includes?: Includes,
): WholeTemplate {
  const included = new Map<TemplatePart, IncludedPart>();
  const errors: TemplateError[] = [];
  for (const part of TEMPLATE_PARTS) {
    const source = sources[part];
    if (source === undefined) continue;
    try {
      included.set(part, includePartials(part, source, includes));
    } catch (error) {
      if (!(error instanceof InvalidTemplateError)) throw error;
      errors.push(...error.errors);
    }
  }
  const placeOf: WholeTemplate["placeOf"] = (part, found) => ({
    ...found,
    ...included.get(part)?.placeOf(found.line, found.column),
  });
  const parts = Object.fromEntries([...included].map(([part, { text }]) => [part, text]));
  errors.push(...checkTemplate(parts).map((error) => placeOf(error.part, error)));
  return {
    parts,
    errors: withoutRepeats(errors).sort((a, b) => placeInOrder(a) - placeInOrder(b)),
    variables: templateVariables(parts).map((found) => ({
      ...placeOf(found.usedIn[0] ?? "html", found),
      ...(found.fields && { fields: found.fields.map((field) => placeOf(field.part, field)) }),
    })),
    partials: [...new Set([...included.values()].flatMap(({ used }) => used))],
    placeOf,
  };
}

function placeInOrder({ part }: TemplateError): number {
  return TEMPLATE_PARTS.indexOf(part);
}

/** A partial that is included twice has its faults once. */
function withoutRepeats(errors: readonly TemplateError[]): TemplateError[] {
  const byText = new Map(errors.map((error) => [JSON.stringify(error), error]));
  return [...byText.values()];
}
