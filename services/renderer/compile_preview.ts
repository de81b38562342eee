import type {
  AssetUse,
  FoundVariable,
  Includes,
  TemplateFault,
  TemplateRead,
} from "@posthaste/contracts";
import {
  InvalidTemplateError,
  joinReads,
  type PublishedPdf,
  type Sandbox,
  type TemplateVariable,
} from "@posthaste/templating";

/** A draft of a template. */
export type WrittenTemplate =
  | { kind: "email"; subject: string; html: string; text: string | undefined }
  | { kind: "pdf"; filename: string; html: string; invoice?: string | undefined };

/** A template ready to be filled. For a PDF, the subject is its file name, and the text is empty. */
export interface Compiled {
  parts: { subject: string; html: string; text: string; invoice?: string | undefined };
  textGenerated: boolean;
  found: FoundVariable[];
  /** The variables that each part reads. */
  reads: TemplateRead[];
  /** The stored images that it names. */
  assets: readonly AssetUse[];
  warnings: readonly string[];
  /** Names of the partials in it. */
  partials: readonly string[];
}

/** A template that cannot be published, with its faults and variables. */
export class PreviewFault extends Error {
  override readonly name = "PreviewFault";
  readonly errors: TemplateFault[];
  readonly found: FoundVariable[];

  constructor(errors: TemplateFault[], found: FoundVariable[]) {
    super("The template has errors");
    this.errors = errors;
    this.found = found;
  }
}

/** The sandbox that compiles, and the owner it compiles for. */
export interface Compiling {
  sandbox: Pick<Sandbox, "check" | "publishEmail" | "publishPdf">;
  owner: string;
  /** BCP 47. */
  locale: string;
  /** What templates of the account may include. */
  includes?: Includes | undefined;
}

/**
 * Compiles a template as for publishing.
 *
 * @throws {PreviewFault} with every fault, and the variables that were still found.
 * @throws {RenderError} If that took too long, or too much memory.
 */
export async function compilePreview(
  template: WrittenTemplate,
  compiling: Compiling,
): Promise<Compiled> {
  return template.kind === "email"
    ? await compileEmail(template, compiling)
    : await compilePdf(template, compiling);
}

async function compileEmail(
  { subject, html, text }: WrittenTemplate & { kind: "email" },
  { sandbox, owner, locale, includes }: Compiling,
): Promise<Compiled> {
  const source = { subject, html, locale, includes, ...(text === undefined ? {} : { text }) };
  try {
    const published = await sandbox.publishEmail(source, { owner });
    const { textGenerated, variables, warnings, assets, partials, ...parts } = published;
    const reads = [...published.reads];
    const { subject, html, text } = parts;
    return {
      ...{ parts: { subject, html, text }, textGenerated },
      ...{ found: withAlways(copied(variables), reads), reads, assets, warnings, partials },
    };
  } catch (error) {
    if (!(error instanceof InvalidTemplateError)) throw error;
    const { locale: _, ...written } = source;
    const { variables } = await sandbox.check(written, { owner });
    throw new PreviewFault([...error.errors], copied(variables));
  }
}

async function compilePdf(
  { filename, html, invoice }: WrittenTemplate & { kind: "pdf" },
  { sandbox, owner, locale, includes }: Compiling,
): Promise<Compiled> {
  const name = await sandbox.check({ subject: filename, includes }, { owner });
  const errors = [...name.errors];
  let body: Pick<
    PublishedPdf,
    "html" | "invoice" | "variables" | "reads" | "assets" | "partials"
  >;
  try {
    body = await sandbox.publishPdf({ html, invoice, locale, includes }, { owner });
  } catch (error) {
    if (!(error instanceof InvalidTemplateError)) throw error;
    errors.push(...error.errors);
    const parts = invoice === undefined ? { html } : { html, invoice };
    const { variables, reads } = await sandbox.check({ ...parts, includes }, { owner });
    body = { html, variables, reads, assets: [], partials: [] };
  }
  const found = merged(body.variables, name.variables);
  if (errors.length > 0) throw new PreviewFault(errors, found);
  const subject = name.parts.subject ?? filename;
  const parts = { subject, html: body.html, text: "", invoice: body.invoice };
  const reads = joinReads(body.reads, name.reads);
  const known = withAlways(found, reads);
  const { assets } = body;
  const partials = [...new Set([...body.partials, ...name.partials])];
  return { parts, textGenerated: false, found: known, reads, assets, warnings: [], partials };
}

/** Marks each variable that every message prints, or prints a field of. */
function withAlways(found: readonly FoundVariable[], reads: readonly TemplateRead[]) {
  const printed = new Set(
    reads.filter(({ always }) => always).map(({ path }) => path.split(/[.[]/, 1)[0] ?? ""),
  );
  return found.map((variable) => ({ ...variable, always: printed.has(variable.name) }));
}

/** Returns the variables that the body reads, followed by those that only the file name reads. */
function merged(
  body: readonly TemplateVariable[],
  name: readonly TemplateVariable[],
): FoundVariable[] {
  const found = new Map(copied(body).map((variable) => [variable.name, variable]));
  for (const variable of copied(name)) {
    const before = found.get(variable.name);
    if (before === undefined) {
      found.set(variable.name, variable);
      continue;
    }
    before.paths = [...new Set([...before.paths, ...variable.paths])];
    before.fields = [...before.fields ?? [], ...variable.fields ?? []];
    before.usedIn = [...variable.usedIn, ...before.usedIn];
  }
  return [...found.values()];
}

function copied(variables: readonly TemplateVariable[]): FoundVariable[] {
  return variables.map(({ paths, usedIn, fields, ...rest }) => ({
    ...rest,
    paths: [...paths],
    usedIn: [...usedIn],
    ...(fields === undefined ? {} : { fields: [...fields] }),
  }));
}
