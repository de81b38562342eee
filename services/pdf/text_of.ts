import type { Content } from "@posthaste/contracts";

/** The source of a PDF was not found. */
export class MissingContentError extends Error {
  override readonly name = "MissingContentError";
}

/**
 * Returns a text that may lie in the object store.
 *
 * @throws {MissingContentError}
 */
export async function textOf(
  content: Content,
  loadContent: (key: string) => Promise<string | undefined>,
): Promise<string> {
  if ("inline" in content) return content.inline;
  const text = await loadContent(content.key);
  if (text === undefined) throw new MissingContentError(`Cannot find content "${content.key}"`);
  return text;
}
