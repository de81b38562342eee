import { aliasSchema } from "@posthaste/contracts";

/** Returns the fault of a template's name, or null. */
export function nameError(name: string): string | null {
  const { length } = name.trim();
  if (length === 0) return "Enter a name";
  return length > 200 ? "Use at most 200 characters" : null;
}

/** Returns the fault of an alias, which is optional, or null. */
export function aliasError(alias: string): string | null {
  if (alias.trim() === "" || aliasSchema.safeParse(alias.trim()).success) return null;
  return "Use lowercase letters, digits and dashes; start with a letter";
}
