/** What a sample has at a path. */
export interface Shape {
  /** All values there: of a field, or of the items of a list. Without null. */
  readonly values: readonly unknown[];
  /** The fields of all objects among the values. */
  readonly fields: ReadonlySet<string>;
  /** Whether several objects have no field in common: their keys are data. */
  readonly isVaried: boolean;
  /** Whether a list or a text is among the values. */
  readonly hasRow: boolean;
}

/** Where a path leads nowhere. */
export interface DeadEnd {
  /** The steps to the last value that is there. */
  readonly holder: readonly string[];
  /** The missing step after it. */
  readonly step: string;
  readonly shape: Shape;
}

/**
 * Opens a search for paths that lead nowhere in the values of variables. Where the values are empty, nothing
 * is known of their fields, so each path leads on. The step `[]` leads to the items of a list, and to the
 * values of an object.
 */
export function openDeadEnds(
  valuesOf: (name: string) => readonly unknown[],
): (steps: readonly string[]) => DeadEnd | undefined {
  const known = new Map<string, Shape>();

  function shapeAt(steps: readonly string[]): Shape {
    const path = JSON.stringify(steps);
    const before = known.get(path);
    if (before) return before;
    const [name = "", ...rest] = steps;
    const last = rest.at(-1);
    const values = last === undefined
      ? valuesOf(name)
      : shapeAt(steps.slice(0, -1)).values.flatMap((value) => inside(value, last));
    const shape = shapeOf(values);
    known.set(path, shape);
    return shape;
  }

  return (steps) => {
    for (let length = 1; length < steps.length; length++) {
      const step = steps[length] ?? "";
      const holder = steps.slice(0, length);
      const shape = shapeAt(holder);
      if (shape.values.length === 0) return undefined;
      if (step === "[]" || shape.fields.has(step) || shape.hasRow && isOfRow(step)) continue;
      const isEmpty = shape.fields.size === 0 && shape.values.every(isObject);
      return isEmpty ? undefined : { holder, step, shape };
    }
    return undefined;
  };
}

function shapeOf(all: readonly unknown[]): Shape {
  const values = all.filter((value) => value !== undefined && value !== null);
  const objects = values.filter(isObject).map((value) => Object.keys(value))
    .filter((keys) => keys.length > 0);
  const counts = new Map<string, number>();
  for (const key of objects.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isVaried = objects.length > 1 &&
    ![...counts.values()].some((count) => count === objects.length);
  const hasRow = values.some((value) => Array.isArray(value) || typeof value === "string");
  return { values, fields: new Set(counts.keys()), isVaried, hasRow };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lists and texts have a length, and items at numbers. */
function isOfRow(step: string): boolean {
  return step === "length" || /^\d+$/.test(step);
}

function inside(value: unknown, step: string): unknown[] {
  // What one item of a list has, another may have.
  if (Array.isArray(value)) return step === "[]" || isOfRow(step) ? value : [];
  if (!isObject(value)) return [];
  if (step === "[]") return Object.values(value);
  return Object.hasOwn(value, step) ? [value[step]] : [];
}
