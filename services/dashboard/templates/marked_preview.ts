import type { MarkedPreview } from "../interface/texts.ts";
import { linkMarks } from "../texts/link_marks.ts";
import { markPlainText, markSource, markTextPart } from "../texts/mark_source.ts";
import { askRenderer, packed } from "./ask_renderer.ts";
import { type PreviewDeps, type PreviewWish, printPreview, RENDER_LIMIT_MS } from "./preview.ts";

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
  const rendering = await askRenderer(
    { ...wish, source: marked, timeoutMs: RENDER_LIMIT_MS },
    deps,
  );
  if (!rendering.ok) return { subject: null, html: null, text: null, pdf: null };
  const { subject, html, text: given } = rendering.parts;
  const text = rendering.textGenerated || kind === "pdf" ? null : given;
  if (kind === "email") return { subject, html, text, pdf: null };
  const pdf = await printPreview({ ...wish, source: marked }, {
    ...{ name: subject, invoice: undefined, append: undefined, started, deps },
    html: await packed(linkMarks(html), deps.bus.objects("contents")),
  });
  return { subject, html, text, pdf: pdf !== null && "key" in pdf ? pdf.key : null };
}
