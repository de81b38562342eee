import {
  bodiesOf,
  type Content,
  type DraftSource,
  type PdfInvoice,
  type Pinned,
  sourceInLocale,
  type TemplateKind,
  variantFor,
} from "@posthaste/contracts";
import { lintTemplate, missingVariables } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import type { PreviewView } from "../interface/templates.ts";
import { askRenderer } from "./ask_renderer.ts";
import type { IssuedPdfs } from "./issued_pdfs.ts";
import { printSample } from "./print_sample.ts";
import { partialsOf } from "./reached_includes.ts";

/** What previews need. */
export interface PreviewDeps extends Pick<DashboardDeps, "bus" | "store"> {
  issued: IssuedPdfs;
}

/** A source to preview, saved or not. */
export interface PreviewWish {
  accountId: string;
  kind: TemplateKind;
  source: DraftSource;
  /** The wanted language. @default that of its own body */
  locale?: string | undefined;
  /** Partials to use instead of the published ones of the same name. */
  instead?: readonly Pinned[];
}

/** Limit for the whole preview, so that the browser has an answer within 12 s. */
const TIME_LIMIT_MS = 11_500;
/** Limit for the renderer's part of it. */
export const RENDER_LIMIT_MS = 9_000;
const LEAST_PRINT_MS = 1_000;

/**
 * Renders a preview with the real renderer and, for a PDF, the real printer: it equals the content
 * of a message.
 *
 * @throws {HttpError} `no_answer` if no renderer answers in time, `unavailable` if none can be
 * reached.
 */
export async function previewTemplate(wish: PreviewWish, deps: PreviewDeps): Promise<PreviewView> {
  const started = performance.now();
  const { kind, locale } = wish;
  const source = sourceInLocale(wish.source, locale);
  const variant = variantFor(wish.source, locale);
  const elsewhere = mentionedElsewhere(wish.source, variant);
  const rendering = await askRenderer({ ...wish, source, timeoutMs: RENDER_LIMIT_MS }, deps);
  const { variables } = rendering;
  const missing = rendering.ok
    ? rendering.missing
    : missingVariables(source.variables, source.sample);
  const common = { variant, variables, missing, tookMs: 0 };
  if (!rendering.ok) {
    const { errors, reason } = rendering;
    const findings = lintTemplate({ kind, source, variables, missing, errors, reason, elsewhere });
    const view = { ...common, output: null, pdf: null, errors, findings };
    return { ...view, tookMs: Math.round(performance.now() - started) };
  }
  const { parts, textGenerated, warnings, content, invoice, append, assets = [] } = rendering;
  const pdf = kind === "pdf"
    ? await printPreview(wish, {
      name: parts.subject,
      html: content,
      invoice,
      append,
      started,
      deps,
    })
    : null;
  const { blocked = [], missingGlyphs = [], brokenFonts = [] } = pdf !== null && "key" in pdf
    ? pdf
    : {};
  const partials = partialsOf(rendering.includes, rendering);
  const findings = lintTemplate({
    ...{
      kind,
      partials,
      source,
      variables,
      missing,
      warnings,
      output: parts,
      blocked,
      missingGlyphs,
      brokenFonts,
      assets,
      elsewhere,
    },
  });
  return {
    ...common,
    output: { ...parts, textGenerated, size: Buffer.byteLength(parts.html) },
    ...{ pdf, errors: [], findings },
    tookMs: Math.round(performance.now() - started),
  };
}

/** Returns the declared names that bodies in other languages mention: they are not unused. */
function mentionedElsewhere(source: DraftSource, shown: string | null): string[] {
  const others = bodiesOf(source).filter(({ tag }) => tag !== shown).map(({ body }) => body);
  if (others.length === 0) return [];
  const text = others.map(({ subject, html, text, filename, invoice }) =>
    [subject, html, text, filename, invoice].join("\n")
  ).join("\n");
  return source.variables.map(({ name }) => name).filter((name) => text.includes(name));
}

/** What is printed. */
export interface Printing {
  name: string;
  html: Content;
  invoice: PdfInvoice | undefined;
  append: Content[] | undefined;
  /** When the preview was requested. */
  started: number;
  deps: PreviewDeps;
}

/** Prints the HTML of a preview, within the limit for the whole. */
export async function printPreview(
  { accountId, source }: PreviewWish,
  { name, html, invoice, append, started, deps }: Printing,
): Promise<PreviewView["pdf"]> {
  if (source.page === null) return { failed: "it has no pages" };
  const left = TIME_LIMIT_MS - (performance.now() - started);
  const timeoutMs = Math.max(LEAST_PRINT_MS, Math.round(left));
  try {
    const document = { accountId, name, html, page: source.page, invoice, append };
    const reply = await printSample(document, { bus: deps.bus, timeoutMs });
    if (reply === undefined) return { failed: "the printer did not answer in time" };
    if (!reply.ok) return { failed: reply.reason };
    const { ok: _, key, ...printed } = reply;
    deps.issued.note(accountId, key);
    return { key, ...printed };
  } catch {
    return { failed: "the printer is not available" };
  }
}
