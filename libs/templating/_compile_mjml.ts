import { clipped } from "./_clipped.ts";
import { hidePlaceholders } from "./_placeholders.ts";
import { withLanguage } from "./_with_language.ts";
import type { TemplateError } from "./template_error.ts";

/** The result of compiling an MJML source. */
export interface CompiledMjml {
  readonly html: string;
  /** Faults that lose content: an unknown tag, or a placeholder in a place that MJML does not allow. */
  readonly errors: readonly TemplateError[];
  /** Attributes that MJML does not know, or whose value it does not accept. */
  readonly warnings: readonly string[];
}

/**
 * Compiles MJML 5. `mj-include` is refused: a template has no other files.
 *
 * @param locale BCP 47 tag of the document's language, unless the source names one.
 */
export async function compileMjml(source: string, locale?: string): Promise<CompiledMjml> {
  const { default: mjml2html } = await import("mjml");
  const hidden = hidePlaceholders(source);
  let compiled: Awaited<ReturnType<typeof mjml2html>>;
  try {
    compiled = await mjml2html(withLanguage(hidden.text, locale), {
      validationLevel: "soft",
      ignoreIncludes: true,
      keepComments: false,
    });
  } catch (error) {
    return { html: "", errors: [parseError(error)], warnings: [] };
  }
  const errors: TemplateError[] = includesIn(source);
  const warnings: string[] = [];
  for (const { line, message } of compiled.errors.slice(0, MAX_REMARKS)) {
    const sentence = hidden.restore(message).trim();
    const at = hidden.sourceLine(line);
    if (/doesn't exist|not registered|cannot be used inside|malformed/i.test(message)) {
      errors.push({ part: "html", line: at, column: 1, message: sentence });
    } else if (hidden.order(message).length === 0) {
      warnings.push(clipped(`Line ${at}: ${sentence}`, 400));
    }
  }
  const kept = new Set(hidden.order(compiled.html));
  hidden.tags.forEach((tag, index) => {
    if (kept.has(index) || /^\\?\{\{~?!/.test(tag) || errors.length >= MAX_REMARKS) return;
    const message = `MJML drops ${clipped(tag, 100)} here: put it into <mj-raw>`;
    errors.push({ part: "html", ...hidden.placeOf(index), message });
  });
  return { html: hidden.restore(compiled.html), errors, warnings };
}

/** The most remarks. Finding the place of one scans the whole source, and people read no more of them. */
const MAX_REMARKS = 100;

function includesIn(source: string): TemplateError[] {
  return [...source.matchAll(/<mj-include\b/gi)].slice(0, MAX_REMARKS).map(({ index }) => {
    const before = source.slice(0, index);
    const place = { line: before.split("\n").length, column: index - before.lastIndexOf("\n") };
    return { part: "html", ...place, message: "mj-include is not supported: put the content here" };
  });
}

function parseError(error: unknown): TemplateError {
  if (error instanceof RangeError) {
    const message = "Cannot compile the MJML: its elements are nested too deep";
    return { part: "html", line: 1, column: 1, message };
  }
  const raw = error instanceof Error ? error.message : String(error);
  const line = Number(/line (\d+)/i.exec(raw)?.[1] ?? 1);
  return { part: "html", line, column: 1, message: `Cannot compile the MJML: ${raw}` };
}
