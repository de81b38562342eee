import { BRAND, type Pinned } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { MarkedPreview } from "../interface/texts.ts";
import { linkMarks } from "../texts/link_marks.ts";
import { markPlainText, markSource, markTextPart } from "../texts/mark_source.ts";
import { markedPartials } from "../texts/marked_partials.ts";
import { askRenderer, packed, type Rendering } from "./ask_renderer.ts";
import { type PreviewDeps, type PreviewWish, printPreview, RENDER_LIMIT_MS } from "./preview.ts";
import { reachedIncludes } from "./reached_includes.ts";

/**
 * Renders a preview with signs around its texts. The signs are in the rendered copy only, never in what is
 * stored.
 *
 * @throws {HttpError} `no_answer` if no renderer answers in time, `unavailable` if none can be reached.
 */
export async function markedPreview(wish: PreviewWish, deps: PreviewDeps): Promise<MarkedPreview> {
  const started = performance.now();
  const { kind, source: { invoice: _, ...source } } = wish;
  const page = source.page === null ? null : { ...source.page, invoice: undefined };
  const marked = {
    ...{ ...source, page, html: markSource(source.html) },
    ...(kind === "email"
      ? { subject: markPlainText(source.subject), text: markTextPart(source.text) }
      : {}),
  };
  const { rendering, partials } = await renderMarked({ ...wish, source: marked }, deps);
  if (!rendering.ok) return { subject: null, html: null, text: null, pdf: null, partials: [] };
  const { subject, html, text: given } = rendering.parts;
  const text = rendering.textGenerated || kind === "pdf" ? null : given;
  if (kind === "email") return { subject, html, text, pdf: null, partials };
  const pdf = await printPreview({ ...wish, source: marked }, {
    ...{ name: subject, invoice: undefined, append: undefined, started, deps },
    html: await packed(linkMarks(html), deps.bus.objects("contents")),
  });
  return { subject, html, text, pdf: pdf !== null && "key" in pdf ? pdf.key : null, partials };
}

/** Renders a marked source with marked partials; without their marks if that is not possible. */
async function renderMarked(
  wish: PreviewWish,
  deps: PreviewDeps,
): Promise<{ rendering: Rendering; partials: string[] }> {
  const { accountId, source } = wish;
  const reached = await reachedIncludes(accountId, { source }, deps.store);
  const partials = reached.filter(({ name }) => name !== BRAND);
  const marked: readonly Pinned[] = markedPartials(source.html, partials);
  const render = (instead: readonly Pinned[]) =>
    askRenderer({ ...wish, instead, timeoutMs: RENDER_LIMIT_MS }, deps);
  if (marked.length > 0) {
    const rendering = await render(marked).catch((error: unknown) => {
      // Signs may make them too long.
      if (error instanceof HttpError && error.code === "template_failed") return null;
      throw error;
    });
    if (rendering?.ok) return { rendering, partials: marked.map(({ name }) => name) };
  }
  return { rendering: await render([]), partials: [] };
}
