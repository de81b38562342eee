import type { Template } from "@posthaste/contracts";
import type { ThumbnailView } from "../interface/templates.ts";
import { askRenderer } from "./ask_renderer.ts";
import { openDraft } from "./open_draft.ts";
import type { PreviewDeps } from "./preview.ts";

/** Limit for the renderer: a list can do without a picture. */
const LIMIT_MS = 5_000;

/** The longest HTML that a list shows small, in UTF-16 code units. */
export const MAX_THUMBNAIL_LENGTH = 500_000;

/**
 * Fills the draft of a template with its sample, for a small picture in a list. A PDF is not printed: its HTML
 * looks the same in that size.
 *
 * @throws {HttpError} `no_answer` if no renderer answers in time, `unavailable` if none can be reached.
 */
export async function templateThumbnail(
  template: Template,
  deps: Pick<PreviewDeps, "bus" | "store">,
): Promise<ThumbnailView> {
  const { accountId, kind } = template;
  const { source } = await openDraft(template, deps.store);
  const rendering = await askRenderer({ accountId, kind, source, timeoutMs: LIMIT_MS }, deps);
  const html = rendering.ok ? rendering.parts.html : null;
  return { html: html === null || html.length > MAX_THUMBNAIL_LENGTH ? null : html };
}
