import type { EventData } from "@posthaste/contracts";
import { type Sandbox, valuesOf } from "@posthaste/templating";
import { interactiveOwner } from "./interactive_owner.ts";
import { finishPdfs } from "./finish_pdfs.ts";
import {
  MAX_MESSAGE_LENGTH,
  pdfTemplateNames,
  pdfTemplatesOf,
  readFills,
  type RenderResult,
  type Versions,
} from "./render_message.ts";
import { imagesOf, type VersionSource } from "./pinned_versions.ts";

/** There is no recipient: only the PDF of the message exists. */
const NOBODY = { index: 0, attempt: 0, email: "" };

const NO_MAIL = { use: [], data: {} };

/** A filled PDF template as the only part of a message, or the reason why it failed. */
export type FilledPdf =
  | { message: RenderResult; pdfs: Versions["pdfs"] }
  | { reason: string };

/** Fills one PDF template with variables. */
export async function fillPdf(
  accountId: string,
  { id, version, locale, variables }: NonNullable<EventData<"content.requested">["pdf"]>,
  deps: Pick<VersionSource, "pdfVersion" | "kept"> & Pick<Sandbox, "fill">,
): Promise<FilledPdf> {
  const found = await deps.pdfVersion(accountId, id, version);
  if (found === null) return { reason: `version ${version} of PDF template ${id} is missing` };
  const pdfs = new Map([[id, found]]);
  const images = await imagesOf([found], new Set([locale]), deps);
  if (typeof images === "string") return { reason: images };
  const fill = {
    use: pdfTemplateNames(id, found, locale),
    data: valuesOf({ top: variables }, found.variables),
  };
  const results = await deps.fill({
    templates: pdfTemplatesOf({ pdfs, images }, new Set([locale])),
    fills: [fill],
    owner: interactiveOwner(accountId),
    textBudget: MAX_MESSAGE_LENGTH,
    urgent: true,
  });
  const recipient = { ...NOBODY, attachments: [{ id }] };
  // A message begins with its mail.
  const mail = { ok: true as const, parts: {} };
  const message = readFills({ recipient, fills: [NO_MAIL, fill] }, [mail, ...results]);
  return { message: await finishPdfs(message, { pdfs, images }), pdfs };
}
