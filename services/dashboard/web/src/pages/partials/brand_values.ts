/** A value of the brand, as a row of the form. */
export interface BrandValue {
  name: string;
  value: string;
}

/** How a value is edited, by its name. */
export type BrandKind = "colour" | "font" | "image" | "text";

/** Returns the rows of a brand's source; none if it is not an object of texts. */
export function brandValues(source: string): BrandValue[] {
  try {
    const read: unknown = JSON.parse(source);
    if (typeof read !== "object" || read === null) return [];
    return Object.entries(read).map(([name, value]) => ({ name, value: String(value) }));
  } catch {
    return [];
  }
}

/** Returns the source of rows. Rows without a name are left out. */
export function brandSource(values: readonly BrandValue[]): string {
  const named = values.filter(({ name }) => name !== "");
  return JSON.stringify(Object.fromEntries(named.map(({ name, value }) => [name, value])), null, 2);
}

/** Returns how to edit a value: names that end so are colours, fonts and images. */
export function brandKind(name: string): BrandKind {
  if (/colou?r$/i.test(name)) return "colour";
  if (/font$/i.test(name)) return "font";
  return /(?:logo|image)$/i.test(name) ? "image" : "text";
}

/** Returns why a row cannot be saved; null if it can. */
export function brandFault(
  { name, value }: BrandValue,
  all: readonly BrandValue[],
): { name?: string; value?: string } | null {
  if (!/^[\w-]{1,64}$/.test(name)) return { name: "Letters, digits, _ and -" };
  if (all.filter((other) => other.name === name).length > 1) {
    return { name: "Another value has this name" };
  }
  if (/["<>{}\\\r\n]/.test(value)) return { value: 'It cannot have ", <, >, { , } or \\' };
  return value.length > 1_000 ? { value: "At most 1,000 characters" } : null;
}

/** Returns a name that no value has yet: `color`, `2-color`. */
export function freeName(wanted: string, values: readonly BrandValue[]): string {
  const taken = new Set(values.map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2;; number++) {
    const name = `${number}-${wanted}`;
    if (!taken.has(name)) return name;
  }
}
