import { aliasSchema } from "@posthaste/contracts";

const ID_PATTERN = /^[1-9]\d{0,8}$/;

/** Reads an integer id from a path; returns `undefined` if it cannot be one. */
export function readPathId(text: string): number | undefined {
  return ID_PATTERN.test(text) ? Number(text) : undefined;
}

/** Returns whether a part of a path can be the id or the alias of a template. */
export function isIdOrAlias(text: string): boolean {
  return ID_PATTERN.test(text) || aliasSchema.safeParse(text).success;
}
