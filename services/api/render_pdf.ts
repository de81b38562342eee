import { inLocale, type PdfVersion, variablesSchema } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "./http_error.ts";
import { type MailContentDeps, type MailPdf, pdfOf } from "@posthaste/messaging";
import { findFaultsForRender } from "./check_variables.ts";
import { contentOf } from "./content_fault.ts";
import { httpErrorOf } from "./fault.ts";
import { isIdOrAlias } from "./path_ids.ts";
import { MAX_VARIABLES_BYTES } from "./render_template.ts";
import type { RequestStore } from "./request_store.ts";
import { wantedLocale } from "./wanted_locale.ts";

/** What {@linkcode renderPdf} needs. */
export interface RenderPdfDeps extends MailContentDeps {
  store: Pick<RequestStore, "latestPdfVersion" | "accountLocale">;
  /** Longest wait for renderer and printer together, in milliseconds. */
  printTimeoutMs: number;
}

/** A request to print. */
export interface RenderPdfCommand {
  accountId: string;
  /** Id or alias of a PDF template, as in the path. */
  templateId: string;
  /** As in the URL, unchecked. */
  query: unknown;
  /** As parsed from JSON, unchecked. */
  body: unknown;
}

const ACTION = "render the PDF";

/**
 * Fills and prints the newest published version of a PDF template.
 *
 * @throws {HttpError}
 */
export async function renderPdf(
  { accountId, templateId, query, body }: RenderPdfCommand,
  deps: RenderPdfDeps,
): Promise<MailPdf> {
  const version = await findVersion({ accountId, templateId }, deps);
  const { data: variables, error } = variablesSchema.safeParse(body, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(ACTION, bodyIssues(error));
  // Serialized again, it may be longer than it came: `1e20`.
  if (Buffer.byteLength(JSON.stringify(variables)) > MAX_VARIABLES_BYTES) {
    const reason = `the variables exceed ${MAX_VARIABLES_BYTES} bytes`;
    throw new HttpError("payload_too_large", `Cannot ${ACTION}: ${reason}`);
  }
  const locale = await wantedLocale({ accountId, query, action: ACTION }, deps.store);
  const faults = findFaultsForRender(inLocale(version, locale), variables);
  if (faults.length > 0) throw httpErrorOf(ACTION, faults);
  const pdf = { id: version.templateId, version: version.version, locale, variables };
  const { page } = version;
  return await contentOf(
    ACTION,
    pdfOf(
      { accountId, pdf, isWhole: page.missing === "fail", timeoutMs: deps.printTimeoutMs },
      deps,
    ),
  );
}

async function findVersion(
  { accountId, templateId }: Pick<RenderPdfCommand, "accountId" | "templateId">,
  { store }: RenderPdfDeps,
): Promise<PdfVersion> {
  const ref = /^\d/.test(templateId) ? Number(templateId) : templateId;
  const found = isIdOrAlias(templateId) ? await store.latestPdfVersion(accountId, ref) : null;
  if (found !== null) return found;
  const sentence = `Cannot ${ACTION}: there is no PDF template "${templateId}"`;
  throw new HttpError("unknown_pdf_template", sentence, { status: 404 });
}
