import type { Variables } from "@posthaste/contracts";

/** Reads sample data as typed: either the variables or why they cannot be read. */
export function readSample(
  text: string,
): { sample: Variables; problem: null } | { sample: null; problem: string } {
  if (text.trim() === "") return { sample: {}, problem: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return { sample: null, problem: "enter an object with a value for each variable" };
    }
    return { sample: value as Variables, problem: null };
  } catch (error) {
    return { sample: null, problem: error instanceof Error ? error.message : String(error) };
  }
}
