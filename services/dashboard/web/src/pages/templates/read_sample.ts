import type { Variables } from "@posthaste/contracts";

/** Reads sample data as typed: either the variables or why they cannot be read. */
export function readSample(
  text: string,
): { sample: Variables; error: null } | { sample: null; error: string } {
  if (text.trim() === "") return { sample: {}, error: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return { sample: null, error: "enter an object with a value for each variable" };
    }
    return { sample: value as Variables, error: null };
  } catch (error) {
    return { sample: null, error: error instanceof Error ? error.message : String(error) };
  }
}
