import type { Issue } from "@posthaste/contracts";
import { pathOf } from "./body_issues.ts";
import { walkJson } from "./_walk_json.ts";

const MAX_ISSUES = 10;

/**
 * Finds at most ten integers beyond ±(2^53-1), such as 9007199254740993, which a parser reads as
 * 9007199254740992. An integer is a number without fraction and exponent. Integers that a double holds
 * exactly are included. Those beyond the range of a double are not: they are infinite in the value that a
 * parser returns, and `findValueFaults` finds them there.
 *
 * @param text Valid JSON.
 */
export function findUnsafeIntegers(text: string): Issue[] {
  const issues: Issue[] = [];
  walkJson(text, {
    number(number, open) {
      if (isUnsafeInteger(number)) {
        issues.push({
          path: pathOf(open.map(({ at }) => at)),
          code: "number_not_exact",
          message: "is an integer outside ±(2^53-1): send it as a string",
        });
      }
      return issues.length >= MAX_ISSUES;
    },
  });
  return issues;
}

function isUnsafeInteger(number: string): boolean {
  if (!/^-?\d{16,309}$/.test(number)) return false;
  const value = Number(number);
  return Number.isFinite(value) && !Number.isSafeInteger(value);
}
