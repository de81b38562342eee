import {
  type DraftSource,
  type PrintReply,
  sourceInLocale,
  type TemplateKind,
} from "@posthaste/contracts";
import { openSemaphore, type Semaphore } from "@posthaste/limits";
import { type LintFinding, type LintInput, lintTemplate } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import type { FilledBody, Rendering } from "./ask_renderer.ts";
import { printSample } from "./print_sample.ts";
import { partialsOf } from "./reached_includes.ts";

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
  prints: CheckPrints;
}

/** The prints of bodies that are published together. */
export interface CheckPrints {
  /** No body is printed after this time (`performance.now()`). */
  readonly until: number;
  /** One at a time, as the printer does for each account. It would count the wait as their time. */
  readonly turn: Semaphore;
}

/** What prevents publishing a source. */
export interface Judgement {
  errors: BodyFinding[];
  /** The bodies that could not be printed in time, and why. It is not known whether messages with them fail. */
  unprinted: Pick<BodyFinding, "variant" | "message">[];
}

/** The longest time in which the bodies of one template, or of all that are published together, begin to print. */
const PRINT_TIME_MS = 15_000;
/** For one body: longer than the printer takes until it gives up. */
const PRINT_LIMIT_MS = 10_500;

/** Begins the time for the prints of what is published together. */
export function openCheckPrints(): CheckPrints {
  return { until: performance.now() + PRINT_TIME_MS, turn: openSemaphore({ max: 1 }) };
}

/**
 * Finds which rules a source breaks that prevent publishing, in all bodies that were rendered. Whichever way a
 * template is published, this decides. It prints a PDF: what that requests, and whether it can be printed, is
 * known only then.
 *
 * @throws {HttpError} `no_answer` if no printer answers in time, `unavailable` if none can be asked, or none
 * can print now.
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
    const { unprinted, ...printed } = await print({ accountId, source: own, body }, judging);
    if (unprinted !== undefined) judgement.unprinted.push({ variant, message: unprinted });
    const found = { kind, source: own, variables, missing, warnings, output, assets, ...printed };
    const partials = partialsOf(rendering.includes, body);
    const errors = lintTemplate({ ...found, partials })
      .filter(({ severity }) => severity === "error");
    judgement.errors.push(...errors.map((finding) => ({ ...finding, variant })));
  }
  return { ...judgement, errors: withoutRepeats(judgement.errors) };
}

/** A partial in several bodies has its findings once. */
function withoutRepeats(errors: readonly BodyFinding[]): BodyFinding[] {
  const seen = new Set<string>();
  return errors.filter((error) => {
    if (error.partial === undefined) return true;
    const text = JSON.stringify({ ...error, variant: null });
    return !seen.has(text) && seen.add(text);
  });
}

/** What is known of a PDF once it was printed. */
interface Printed extends Pick<LintInput, "blocked" | "unprintable" | "missingGlyphs"> {
  /** Why nothing is known. */
  unprinted?: string;
}

/** Prints a body. Its messages have longer for that. */
async function print(
  { accountId, source: { page }, body }: {
    accountId: string;
    source: DraftSource;
    body: FilledBody;
  },
  { bus, prints: { until, turn } }: Judging,
): Promise<Printed> {
  if (page === null) return {};
  using _turn = await turn.acquire();
  if (performance.now() > until) return { unprinted: "there was no time to print it" };
  const { parts: { subject: name }, content: html, invoice, append } = body;
  // With these options, the printer knows a document that it has printed before without a fault.
  const known = page.missing === "fail" ? { ...page, missingGlyphs: "fail" as const } : page;
  const document = { accountId, name, html, page: known, invoice, append };
  const asking = printSample(document, { bus, timeoutMs: PRINT_LIMIT_MS });
  const reply = await asking.catch((cause: unknown) => {
    const message = "The PDF cannot be checked: no printer is available. Try again soon";
    throw new HttpError("unavailable", message, { cause });
  });
  if (reply === undefined) {
    const seconds = Math.round(PRINT_LIMIT_MS / 1000);
    const message = `The PDF was not checked: no printer answered within ${seconds} s. Try again`;
    throw new HttpError("no_answer", message);
  }
  if (reply.ok) {
    const { blocked, missingGlyphs = [] } = reply;
    return { blocked, missingGlyphs };
  }
  return withoutPdf(reply);
}

/**
 * Returns what follows from the failure of a print.
 *
 * @throws {HttpError} `unavailable` if the document is not the cause, or may not be.
 */
function withoutPdf({ code, reason, timedOut }: Extract<PrintReply, { ok: false }>): Printed {
  // A printer of the version before gives no code.
  switch (code ?? (timedOut === true ? "timeout" : "unavailable")) {
    case "invalid":
    case "too_large":
    case "blocked":
    case "totals_differ":
    case "missing_glyphs":
      return { unprintable: reason };
    case "crashed":
    case "unavailable":
    case "aborted":
      throw new HttpError("unavailable", `The PDF cannot be checked: ${reason}. Try again soon`);
    case "timeout":
      return { unprinted: reason };
  }
}
