import {
  appendedUses,
  type Content,
  type EventData,
  type FoundVariable,
  type Includes,
  includesSchema,
  MAX_IMAGE_BYTES,
  type PinnedAsset,
  pinnedAssetSchema,
  type PreviewReply,
  type TemplateKind,
  type UsedAsset,
} from "@posthaste/contracts";
import type { Step } from "@posthaste/messaging";
import { recordDuration } from "@posthaste/telemetry";
import {
  InvoiceError,
  missingVariables,
  pdfInvoice,
  type RenderedInvoice,
  RenderError,
  type Sandbox,
  type TemplateSource,
  withDefaults,
} from "@posthaste/templating";
import { z } from "zod";
import {
  type Compiled,
  compilePreview,
  PreviewFault,
  type WrittenTemplate,
} from "./compile_preview.ts";
import { appendedPdfs, AppendError, checkAppended, checkSizes } from "./appended_pdfs.ts";
import { interactiveOwner } from "./interactive_owner.ts";
import { packContents, type StoreContent } from "./event_content.ts";
import { type AssetAddresses, type KeptImages, mailAddresses } from "./kept_images.ts";
import { pdfFilename } from "./pdf_filename.ts";
import { attachedOf } from "./pdf_sources.ts";
import type { RemoteImages } from "./remote_images.ts";
import { MAX_SUBJECT_LENGTH } from "./render_message.ts";
import { withShownImages } from "./shown_images.ts";
import { reportableVariables } from "./reportable_variables.ts";

/** The dependencies of the step. */
export interface PreviewDeps {
  sandbox: Pick<Sandbox, "check" | "publishEmail" | "publishPdf" | "fill" | "render">;
  /** Loads a text that was too large for its event. */
  loadContent(key: string): Promise<string | undefined>;
  storeContent: StoreContent;
  /** Missing if the operator does not allow remote images. */
  images?: RemoteImages | undefined;
  kept: KeptImages;
}

type Preview = EventData<"preview.requested">;

/** A draft of a template, with its texts loaded. */
interface Written {
  html: string;
  text: string | undefined;
  /** The XML of an invoice. */
  invoice?: string | undefined;
}

const MAX_WARNINGS = 50;
const WARNING_LENGTH = 500;

/** Compiles and fills a draft of a template, for an interactive request of its author. */
export function previewStep(deps: PreviewDeps): Step<"preview.requested"> {
  return {
    name: "renderer.preview",
    handle: async ({ data }) => {
      const started = performance.now();
      const reply = await preview(data, deps);
      recordDuration("posthaste.render.duration", (performance.now() - started) / 1000);
      return { type: "done", publish: [], replies: [reply] };
    },
    giveUp: (_, reason) => ({ publish: [], replies: [failure({ reason })] }),
  };
}

async function preview(data: Preview, deps: PreviewDeps): Promise<PreviewReply> {
  const { accountId, template, locale, declarations, variables } = data;
  const owner = interactiveOwner(accountId);
  const written = await textsOf(template, deps);
  if (written === undefined) return failure({ reason: "the content of the preview has expired" });
  const includes = await includesOf(data, deps);
  const instead = await insteadOf(data, deps);
  if (includes === undefined || instead === undefined) {
    return failure({ reason: "the content of the preview has expired" });
  }
  let compiled: Compiled;
  try {
    const compiling = { sandbox: deps.sandbox, owner, locale, includes };
    compiled = await compilePreview(writtenTemplate(template, written), compiling);
  } catch (error) {
    if (error instanceof PreviewFault) {
      const { errors, found } = error;
      return failure({ reason: "The template has errors", errors, variables: found });
    }
    return failureOf(error);
  }
  const { parts, found } = compiled;
  const values = withDefaults(declarations, variables);
  const page = template.kind === "pdf" ? template.page : undefined;
  const uses = [...compiled.assets, ...appendedUses(page)];
  const used = await deps.kept.find(uses, { accountId, kind: template.kind, instead });
  const images = used.filter(({ appended }) => appended !== true);
  const assets = await addressesOf(images, { accountId, kind: template.kind, ...deps });
  const templates = sourcesOf(parts, { accountId, locale, assets });
  const [result] = await deps.sandbox.fill({
    ...{ templates, fills: [{ data: values }], owner, urgent: true },
  });
  if (!result?.ok) {
    const place = await placeOf(result?.error, { written, templates, data: values, deps });
    return { ...failureOf(result?.error, place), variables: reportableVariables(found) };
  }
  const filled = {
    // A subject must not contain a line break.
    subject: (result.parts["subject"] ?? "").replace(/[\r\n]+/g, " ").trim(),
    html: result.parts["html"] ?? "",
    text: result.parts["text"] ?? "",
  };
  if (filled.subject.length > MAX_SUBJECT_LENGTH) {
    const reason = `the subject has more than ${MAX_SUBJECT_LENGTH} characters`;
    return failure({ reason, variables: found });
  }
  let append: string[];
  try {
    append = await appendedOf(used, { accountId, kept: deps.kept, planned: instead });
  } catch (error) {
    if (!(error instanceof AppendError)) throw error;
    return failure({ reason: error.message, variables: found });
  }
  let invoice: RenderedInvoice | undefined;
  try {
    invoice = await pdfInvoice({ xml: result.parts["invoice"], page });
  } catch (error) {
    if (!(error instanceof InvoiceError)) throw error;
    return failure({ ...faultOf(error), variables: found });
  }
  const shown = await withShownImages({ accountId, html: filled.html, page }, deps.images);
  const name = template.kind === "pdf" ? pdfFilename(filled.subject) : filled.subject;
  const texts = [shown.html, filled.text, ...data.compiled ? [parts.html, parts.text] : []];
  const invoices = invoice === undefined ? [] : [invoice.xml, parts.invoice ?? ""];
  const packed = await packContents([...texts, ...invoices, ...append], deps.storeContent);
  const [html, text, ...rest] = packed;
  const [xml, source] = invoice === undefined ? [] : packed.slice(texts.length);
  const appended = packed.slice(texts.length + invoices.length);
  const subject = data.compiled ? { subject: parts.subject, reads: compiled.reads } : undefined;
  const compiledInvoice = source === undefined ? {} : { invoice: source };
  return {
    ok: true,
    parts: { subject: name, html: html ?? EMPTY, text: text ?? EMPTY },
    ...attachedOf(invoice, xml),
    ...(appended.length === 0 ? {} : { append: appended }),
    ...(subject && {
      compiled: {
        ...{ ...subject, html: rest[0] ?? EMPTY, text: rest[1] ?? EMPTY },
        ...compiledInvoice,
      },
    }),
    textGenerated: compiled.textGenerated,
    variables: reportableVariables(found),
    assets: used,
    missing: missingVariables(declarations, variables),
    partials: [...compiled.partials],
    warnings: [...compiled.warnings, ...shown.warnings].slice(0, MAX_WARNINGS)
      .map((warning) => warning.slice(0, WARNING_LENGTH)),
  };
}

const EMPTY: Content = { inline: "" };

function writtenTemplate(template: Preview["template"], written: Written): WrittenTemplate {
  const { html, text, invoice } = written;
  return template.kind === "email"
    ? { kind: "email", subject: template.subject, html, text }
    : { kind: "pdf", filename: template.filename, html, invoice };
}

async function textsOf(
  template: Preview["template"],
  { loadContent }: PreviewDeps,
): Promise<Written | undefined> {
  const load = async (content: Content) =>
    "inline" in content ? content.inline : await loadContent(content.key);
  const html = await load(template.html);
  if (html === undefined) return undefined;
  if (template.kind === "pdf" && template.invoice !== undefined) {
    const invoice = await load(template.invoice);
    return invoice === undefined ? undefined : { html, text: undefined, invoice };
  }
  if (template.kind === "pdf" || template.text === undefined) return { html, text: undefined };
  const text = await load(template.text);
  return text === undefined ? undefined : { html, text };
}

interface Showing extends Pick<PreviewDeps, "kept"> {
  accountId: string;
  kind: TemplateKind;
}

/** Returns the addresses of images as a message has them; an image that cannot be shown is empty. */
async function addressesOf(
  used: readonly UsedAsset[],
  { accountId, kind, kept }: Showing,
): Promise<AssetAddresses> {
  const found = used.flatMap(({ asset }) => asset ?? []);
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  const none = Object.fromEntries(used.map(({ name }) => [name, ""]));
  if (bytes > MAX_IMAGE_BYTES[kind]) return none;
  const addresses = kind === "email" ? mailAddresses(found) : await kept.embedded(accountId, found);
  return { ...none, ...addresses };
}

/**
 * Returns the PDFs that are appended, in base64. Of names without a PDF, a finding reports. Planned PDFs whose bytes
 * are not stored yet are left out: whoever stores them reads them.
 *
 * @throws {AppendError} If they are too large, or one cannot be read.
 */
async function appendedOf(
  used: readonly UsedAsset[],
  { accountId, kept, planned }: Pick<Showing, "accountId" | "kept"> & {
    planned: readonly PinnedAsset[];
  },
): Promise<string[]> {
  const files = used.flatMap(({ appended, asset }) =>
    appended === true && asset?.contentType === "application/pdf" ? [asset] : []
  );
  if (files.length === 0) return [];
  const addresses = await kept.embedded(accountId, files);
  checkSizes(files);
  const there = files.filter(({ name }) =>
    name in addresses || !planned.some((other) => other.name === name)
  );
  checkAppended(there, addresses);
  return appendedPdfs({ append: there.map(({ name }) => name) }, addresses);
}

/** Returns what the template may include; `undefined` if that has expired. */
async function includesOf(
  { includes }: Preview,
  { loadContent }: PreviewDeps,
): Promise<Includes | undefined> {
  if (includes === undefined) return { partials: {} };
  const json = "inline" in includes ? includes.inline : await loadContent(includes.key);
  return json === undefined ? undefined : includesSchema.parse(JSON.parse(json));
}

/** Returns the files to use instead of those that are kept; `undefined` if the list has expired. */
async function insteadOf(
  { assets }: Preview,
  { loadContent }: PreviewDeps,
): Promise<PinnedAsset[] | undefined> {
  if (assets === undefined) return [];
  const json = "inline" in assets ? assets.inline : await loadContent(assets.key);
  return json === undefined ? undefined : z.array(pinnedAssetSchema).parse(JSON.parse(json));
}

/** The keys are the account's own: its next preview replaces this one in the workers. */
function sourcesOf(
  parts: Compiled["parts"],
  { accountId, locale, assets }: { accountId: string; locale: string; assets: AssetAddresses },
): Record<string, TemplateSource> {
  const source = (part: keyof Compiled["parts"], escape: TemplateSource["escape"]) => ({
    key: `${interactiveOwner(accountId)}/${part}`,
    source: parts[part] ?? "",
    escape,
    locale,
  });
  return {
    subject: source("subject", "none"),
    html: { ...source("html", "html"), assets },
    text: source("text", "none"),
    ...(parts.invoice === undefined ? {} : { invoice: source("invoice", "xml") }),
  };
}

/** An invoice that cannot be sent is a fault of its part, at its beginning. */
function faultOf({ message }: InvoiceError): Failure {
  return { reason: message, errors: [{ part: "invoice", line: 1, column: 1, message }] };
}

interface Failure {
  reason: string;
  errors?: (PreviewReply & { ok: false })["errors"];
  variables?: FoundVariable[];
  timedOut?: boolean;
}

function failure({ reason, errors = [], variables = [], timedOut = false }: Failure): PreviewReply {
  return { ok: false, reason, errors, variables: reportableVariables(variables), timedOut };
}

/** A failure of the sandbox itself is retried. */
function failureOf(error: unknown, place: Partial<Failure> = {}): PreviewReply {
  if (!(error instanceof RenderError) || error.code === "sandbox" || error.code === "closed") {
    throw error;
  }
  const timedOut = error.code === "timeout" || error.code === "busy";
  return failure({ reason: error.message, timedOut, ...place });
}

const INCLUDES = /\{\{~?#?[>*]|@brand\./;

interface Failing {
  written: Written;
  templates: Readonly<Record<string, TemplateSource>>;
  data: Readonly<Record<string, unknown>>;
  deps: PreviewDeps;
}

/**
 * Returns where in the author's source filling failed. The compiled template has other lines than the source.
 */
async function placeOf(
  error: RenderError | undefined,
  { written, templates, data, deps }: Failing,
): Promise<Partial<Failure>> {
  if (error?.code !== "error") return {};
  const { part } = error;
  if (part !== "subject" && part !== "html" && part !== "text" && part !== "invoice") return {};
  const template = templates[part];
  const source = part === "html" || part === "text" ? written[part] : template?.source;
  // A fault of a text that was generated from the HTML is in the HTML.
  const at = part === "text" && source === undefined ? "html" : part;
  if (template === undefined) return {};
  let found: RenderError = error;
  // The written source does not run by itself then, and the lines of the whole are not its own.
  if (INCLUDES.test(source ?? written.html)) return {};
  if (source !== template.source) {
    const again = { ...template, key: `${template.key}/written`, source: source ?? written.html };
    try {
      await deps.sandbox.render({ [at]: again }, data);
      return {};
    } catch (reason) {
      if (!(reason instanceof RenderError)) throw reason;
      found = reason;
    }
  }
  const { line, column = 1, message } = found;
  return line === undefined ? {} : { errors: [{ part: at, line, column, message }] };
}
