import type { Issue, IssueCode } from "@posthaste/contracts";
import { pathOf } from "./body_issues.ts";

const MAX_ISSUES = 10;

/** The result of examining a parsed text. */
export interface ValueLook {
  /** The number of fields in all objects. A duplicate field counts once. */
  fields: number;
  /** Whether {@linkcode findValueFaults} would find something. */
  hasFaults: boolean;
}

/** What to examine. */
export interface LookOptions {
  /** Whether strings may contain halves of surrogate pairs. Otherwise they are not examined. */
  hasSurrogates: boolean;
}

/**
 * Examines a parsed value for parts that JSON cannot express again: numbers beyond the range of a double,
 * such as `1e400`, which are infinite after parsing, and halves of surrogate pairs, which UTF-8 cannot
 * encode. A mail would show something else in their place.
 *
 * @param value Nested no deeper than a stack can bear.
 */
export function lookThrough(value: unknown, options: LookOptions): ValueLook {
  const look: ValueLook = { fields: 0, hasFaults: false };
  visit(value, options, look);
  return look;
}

function visit(value: unknown, options: LookOptions, look: ValueLook): void {
  if (typeof value !== "object" || value === null) {
    look.hasFaults ||= faultOf(value, options) !== undefined;
  } else if (Array.isArray(value)) {
    for (const item of value) visit(item, options, look);
  } else {
    for (const name in value) {
      look.fields++;
      if (options.hasSurrogates) look.hasFaults ||= !name.isWellFormed();
      visit((value as Record<string, unknown>)[name], options, look);
    }
  }
}

/** Returns the paths of the faults that {@linkcode lookThrough} found, at most ten. */
export function findValueFaults(value: unknown, options: LookOptions): Issue[] {
  const issues: Issue[] = [];
  collect(value, [], { ...options, issues });
  return issues;
}

function collect(
  value: unknown,
  path: readonly PropertyKey[],
  options: LookOptions & { issues: Issue[] },
): void {
  const { issues, hasSurrogates } = options;
  const note = (fault: ValueFault, at = path) => void issues.push({ path: pathOf(at), ...fault });
  if (issues.length >= MAX_ISSUES) return;
  const fault = faultOf(value, options);
  if (fault !== undefined) note(fault);
  if (typeof value !== "object" || value === null) return;
  for (const name in value) {
    if (issues.length >= MAX_ISSUES) return;
    if (hasSurrogates && !name.isWellFormed()) {
      const at = [...path, name.toWellFormed()];
      note(
        { code: "half_character", message: "must not have an unpaired surrogate in its name" },
        at,
      );
    }
    collect((value as Record<string, unknown>)[name], [...path, name], options);
  }
}

interface ValueFault {
  code: IssueCode;
  message: string;
}

const OUT_OF_RANGE: ValueFault = {
  code: "number_out_of_range",
  message: "must be a number in the range of a double",
};
const HALF_CHARACTER: ValueFault = {
  code: "half_character",
  message: "must not contain an unpaired surrogate",
};

function faultOf(value: unknown, { hasSurrogates }: LookOptions): ValueFault | undefined {
  if (value === Infinity || value === -Infinity) return OUT_OF_RANGE;
  if (hasSurrogates && typeof value === "string" && !value.isWellFormed()) return HALF_CHARACTER;
  return undefined;
}
