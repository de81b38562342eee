import { type DraftSource, sourceOfVersion, type Template } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { contentHash } from "./draft_content.ts";

/** Returns the number of the published version if it equals a source; else null. */
export async function sameVersion(
  { accountId, kind, id, publishedVersion }: Template,
  source: DraftSource,
  { templates: { findVersion } }: StorePart<"templates.findVersion">,
): Promise<number | null> {
  if (publishedVersion === null) return null;
  const published = await findVersion(accountId, kind, id, publishedVersion);
  if (published === null) return null;
  const isSame = contentHash(kind, source) === contentHash(kind, sourceOfVersion(published));
  return isSame ? publishedVersion : null;
}
