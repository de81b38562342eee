import { type Pinned, sourceOfVersion } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { PreviewView } from "../interface/templates.ts";
import { type PreviewDeps, previewTemplate } from "../templates/preview.ts";
import { aloneSource } from "./alone_source.ts";
import type { PartialPreview } from "./partial_input.ts";

/**
 * Renders the unpublished source of a partial: alone, or in the published version of a template.
 *
 * @throws {HttpError} `not_found` if the account has no such template, and as `previewTemplate()`.
 */
export async function previewPartial(
  { accountId, name, source, template }: PartialPreview & { accountId: string; name: string },
  deps: PreviewDeps,
): Promise<PreviewView> {
  const pinned: Pinned = { name, version: 1, source };
  const wish = { accountId, instead: [pinned] };
  if (template === undefined) {
    const alone = await previewTemplate(
      { ...wish, kind: "email", source: aloneSource(pinned) },
      deps,
    );
    // Other rules judge whole mails.
    return { ...alone, findings: alone.findings.filter(({ partial }) => partial === name) };
  }
  const { kind, id } = template;
  const { store: { templates, drafts } } = deps;
  const found = await templates.find(accountId, kind, id);
  const version = found?.publishedVersion == null
    ? null
    : await templates.findVersion(accountId, kind, id, found.publishedVersion);
  if (found === null || version === null) {
    throw new HttpError("not_found", `There is no published ${kind} template ${id}`);
  }
  const draft = await drafts.find(found);
  const written = sourceOfVersion(version, draft?.source.sample);
  return await previewTemplate({ ...wish, kind, source: written }, deps);
}
