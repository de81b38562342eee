import { type DraftSource, sourceInLocale, type TemplateKind } from "@posthaste/contracts";
import { type LintFinding, lintTemplate } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import type { FilledBody, Rendering } from "./ask_renderer.ts";
import { printSample } from "./print_sample.ts";

/** A source, and what became of it. */
export interface RenderedSource {
  accountId: string;
  kind: TemplateKind;
  source: DraftSource;
  rendering: Rendering;
}

/** A finding in one body of a template. */
export interface BodyFinding extends LintFinding {
  /** The tag of its language variant; null for the template's own body. */
  variant: string | null;
}

/** What judging needs. */
export interface Judging {
  bus: Pick<DashboardDeps["bus"], "ask">;
  /** No body is printed after this time (`performance.now()`). */
  printUntil: number;
}

/** What prevents publishing a source. */
export interface Judgement {
  errors: BodyFinding[];
  /** The bodies that could not be printed, and why. It is not known what they request. */
  unprinted: Pick<BodyFinding, "variant" | "message">[];
}

/** The longest time in which the bodies of one template, or of all that are published together, begin to print. */
export const PRINT_TIME_MS = 15_000;
/** For one body: longer than the printer takes until it gives up. */
const PRINT_LIMIT_MS = 10_500;

/**
 * Finds which rules a source breaks that prevent publishing, in all bodies that were rendered. Whichever way a
 * template is published, this decides. It prints a PDF: what that requests is known only then.
 *
 * @throws {HttpError} `no_answer` if no printer answers in time, `unavailable` if none can be asked.
 */
export async function judgeSource(
  { accountId, kind, source, rendering }: RenderedSource,
  judging: Judging,
): Promise<Judgement> {
  const judgement: Judgement = { errors: [], unprinted: [] };
  if (!rendering.ok) return judgement;
  const bodies = [[null, rendering] as const, ...Object.entries(rendering.variants)];
  for (const [variant, body] of bodies) {
    const { variables, missing, warnings, parts: output, assets = [] } = body;
    const own = sourceInLocale(source, variant ?? undefined);
    const printed = await requestsOf({ accountId, source: own, body }, judging);
    if (typeof printed === "string") judgement.unprinted.push({ variant, message: printed });
    const blocked = typeof printed === "string" ? [] : printed;
    const found = { kind, source: own, variables, missing, warnings, output, assets, blocked };
    const errors = lintTemplate(found).filter(({ severity }) => severity === "error");
    judgement.errors.push(...errors.map((finding) => ({ ...finding, variant })));
  }
  return judgement;
}

/** Prints a body, and returns what it requests and may not load; or why that is not known. */
async function requestsOf(
  { accountId, source: { page }, body }: {
    accountId: string;
    source: DraftSource;
    body: FilledBody;
  },
  { bus, printUntil }: Judging,
): Promise<string[] | string> {
  if (page === null || page.missing === "leave_out") return [];
  if (performance.now() > printUntil) return "there was no time to print it";
  const { parts: { subject: name }, content: html, invoice, append } = body;
  // With these options, the printer knows a document that it has printed before without a fault.
  const document = { accountId, name, html, invoice, append };
  const known = { ...page, missingGlyphs: "fail" as const };
  const asking = printSample({ ...document, page: known }, { bus, timeoutMs: PRINT_LIMIT_MS });
  const reply = await asking.catch((cause: unknown) => {
    const message = "The PDF cannot be checked: no printer is available. Try again soon";
    throw new HttpError("unavailable", message, { cause });
  });
  if (reply === undefined) {
    const seconds = Math.round(PRINT_LIMIT_MS / 1000);
    const message = `The PDF was not checked: no printer answered within ${seconds} s. Try again`;
    throw new HttpError("no_answer", message);
  }
  return reply.ok ? reply.blocked : reply.reason;
}
