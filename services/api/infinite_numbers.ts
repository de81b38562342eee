import type { Issue } from "@posthaste/contracts";
import { MAX_PATH_LENGTH } from "./body_issues.ts";

// A look at the text spares nearly every body the walk through its values.
const SUSPECT_PATTERN = /\d[eE]\+?\d{3}|\d{300}/;
const MAX_ISSUES = 10;

/**
 * Finds numbers beyond the range of a double, such as `1e400`. A parser makes them infinite, and no
 * JSON can say that again: a mail would be filled with nothing in their place.
 *
 * @param text The JSON text.
 * @param value What it says.
 */
export function findInfiniteNumbers(text: string, value: unknown): Issue[] {
  if (!SUSPECT_PATTERN.test(text)) return [];
  const issues: Issue[] = [];
  const rest: { path: string; value: unknown }[] = [{ path: "", value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (issues.length >= MAX_ISSUES) break;
    if (next.value === Infinity || next.value === -Infinity) {
      issues.push({ path: next.path, message: "must be a number in the range of a double" });
    }
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const [name, inner] of Object.entries(next.value)) {
      if (typeof inner !== "number" && typeof inner !== "object") continue;
      const path = (next.path === "" ? name : `${next.path}.${name}`).slice(0, MAX_PATH_LENGTH);
      rest.push({ path, value: inner });
    }
  }
  return issues;
}
