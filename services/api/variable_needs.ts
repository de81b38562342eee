import type { EmailVersion, PdfVersion, TemplateRead, Variables } from "@posthaste/contracts";
import { isGiven, mergeLevels, type VariableLevels } from "@posthaste/templating";

/** What one body of a template needs of the variables, in one language. */
export type NeedyBody = Pick<EmailVersion | PdfVersion, "_id" | "variables" | "reads">;

/** What a mail or a PDF lacks. */
export interface VariableFaults {
  /** Names of the required variables that are missing, in the order declared. */
  missing: string[];
  /** Paths of the values that are objects or arrays although every branch prints them as text. */
  unprintable: string[];
}

/** Finds what the values of one mail or attachment lack. */
export type FindVariableFaults = (
  body: NeedyBody,
  own: Omit<VariableLevels, "top">,
) => VariableFaults;

const NONE: VariableFaults = { missing: [], unprintable: [] };

/**
 * Returns a function that finds the faults of each mail and attachment of one send. What all recipients share is
 * looked through once for each body of a template. After that, only names of the recipient or attachment itself are:
 * a send can have thousands of both.
 */
export function openVariableNeeds(top: Variables | undefined): FindVariableFaults {
  const known = new Map<string, BodyNeeds>();
  return (body, own) => {
    const needs = known.get(body._id) ?? needsOf(body, top ?? {});
    known.set(body._id, needs);
    return faultsIn(needs, mergeLevels(own) as Variables);
  };
}

/** The value that every branch prints, and those below it. */
interface PrintedValue {
  path?: string;
  fields: Map<string, PrintedValue>;
}

interface BodyNeeds extends NeedyBody {
  required: ReadonlySet<string>;
  printed: PrintedValue["fields"];
  /** The faults without own values: names, and paths by the name that they begin with. */
  lacking: readonly string[];
  wrong: ReadonlyMap<string, readonly string[]>;
}

function needsOf({ _id, variables, reads }: NeedyBody, top: Variables): BodyNeeds {
  const required = variables.filter((each) => each.required && !isGiven(each.default))
    .map(({ name }) => name);
  const printed = printedValues(reads ?? []);
  const wrong = new Map(
    Array.from(printed, ([name, value]) => [name, wrongIn(fieldOf(top, name), value)] as const)
      .filter(([, paths]) => paths.length > 0),
  );
  return {
    ...{ _id, variables, reads, required: new Set(required), printed },
    lacking: required.filter((name) => !isGiven(fieldOf(top, name))),
    wrong,
  };
}

function printedValues(reads: readonly TemplateRead[]): PrintedValue["fields"] {
  const root: PrintedValue = { fields: new Map() };
  for (const { path, always } of reads) {
    if (!always || path.includes("[]")) continue;
    let value = root;
    for (const name of path.split(".")) {
      const field = value.fields.get(name) ?? { fields: new Map() };
      value.fields.set(name, field);
      value = field;
    }
    value.path = path;
  }
  return root.fields;
}

function faultsIn(needs: BodyNeeds, own: Variables): VariableFaults {
  const { required, printed } = needs;
  const missing = new Set(needs.lacking.filter((name) => !isGiven(fieldOf(own, name))));
  const unprintable = new Set<string>();
  for (const [name, paths] of needs.wrong) {
    if (!Object.hasOwn(own, name)) { for (const path of paths) unprintable.add(path); }
  }
  for (const [name, value] of Object.entries(own)) {
    if (required.has(name) && !isGiven(value)) missing.add(name);
    const field = printed.get(name);
    if (field !== undefined) { for (const path of wrongIn(value, field)) unprintable.add(path); }
  }
  if (missing.size + unprintable.size === 0) return NONE;
  return {
    missing: needs.variables.map(({ name }) => name).filter((name) => missing.has(name)),
    unprintable: (needs.reads ?? []).map(({ path }) => path).filter((path) =>
      unprintable.has(path)
    ),
  };
}

/** Returns the paths of what cannot be printed in a value. It takes time proportional to the size of the value. */
function wrongIn(value: unknown, { path, fields }: PrintedValue): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = path === undefined ? [] : [path];
  if (fields.size === 0) return own;
  const inside = Object.keys(value).flatMap((name) => {
    const field = fields.get(name);
    return field === undefined ? [] : wrongIn(fieldOf(value, name), field);
  });
  return [...own, ...inside];
}

function fieldOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
