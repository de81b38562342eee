import { hash } from "node:crypto";
import {
  type Authored,
  type AuthoredPartial,
  authoredVariant,
  type FileFault,
  fileOfPart,
  fileOfPartial,
  placeInTemplate,
  sourceOfAuthored,
} from "@posthaste/bundle";
import {
  appendedUses,
  type AssetUse,
  BRAND,
  type DraftSource,
  type Includes,
  type PinnedAsset,
  type TemplateRead,
  type VariableDeclaration,
  type Variables,
  variantFault,
} from "@posthaste/contracts";
import type { Publication } from "@posthaste/storage";
import {
  InvalidTemplateError,
  InvoiceError,
  joinReads,
  missingVariables,
  pdfInvoice,
  RenderError,
  type Sandbox,
  type TemplateSource,
  type TemplateVariable,
  withDefaults,
} from "@posthaste/templating";
import { type FindAsset, usedAssets } from "./used_assets.ts";
import { lintAuthored } from "./lint_authored.ts";

type CheckingSandbox = Pick<Sandbox, "check" | "publishEmail" | "publishPdf" | "render">;

/** Facts about a template that are not part of its publication. */
export interface ReadyParts {
  alias: string;
  sample: Variables;
  /** The template as a draft has it. */
  draft: DraftSource;
  /** Names of the partials in it. */
  partials: string[];
  /** Rules that prevent publishing it again. */
  errors: FileFault[];
}

/** A publication without its account, and the facts about it. */
export type ReadyTemplate = Publication extends infer P
  ? P extends Publication ? Omit<P, "accountId" | keyof ReadyParts> & ReadyParts : never
  : never;

/** The results for the templates, in their order. `ready` contains only templates without faults. */
export interface CheckedTemplates {
  ready: ReadyTemplate[];
  faults: FileFault[];
  warnings: FileFault[];
}

/** What templates may include and show. */
export interface CheckedWith {
  partials: readonly AuthoredPartial[];
  findAsset: FindAsset;
}

/** Compiles templates as for publishing, and renders each with its sample, if it has one. */
export async function checkTemplates(
  templates: readonly Authored[],
  sandbox: CheckingSandbox,
  { partials, findAsset }: CheckedWith,
): Promise<CheckedTemplates> {
  const includes = includesOf(partials);
  const checked = await Promise.all(
    templates.map((template) => check(template, { sandbox, includes, findAsset })),
  );
  return {
    ready: checked.flatMap(({ ready, faults }) => faults.length === 0 && ready ? [ready] : []),
    faults: withoutRepeats([
      ...await partialFaults(partials, { sandbox, includes }),
      ...checked.flatMap(({ faults }) => faults),
    ]),
    warnings: withoutRepeats(checked.flatMap(({ warnings }) => warnings)),
  };
}

/** Where templates are checked, and with which partials. */
interface Checking {
  sandbox: CheckingSandbox;
  includes: Includes;
  findAsset: FindAsset;
}

/** Returns partials and brand in the form that templates are compiled with. */
function includesOf(partials: readonly AuthoredPartial[]): Includes {
  const brand = partials.find(({ name }) => name === BRAND);
  const others = partials.filter(({ name }) => name !== BRAND);
  return {
    partials: Object.fromEntries(others.map(({ name, source }) => [name, source])),
    ...(brand === undefined ? {} : { brand: JSON.parse(brand.source) }),
  };
}

/** Finds the faults of partials by themselves: a template may not call one, or only others. */
async function partialFaults(
  partials: readonly AuthoredPartial[],
  { sandbox, includes }: Pick<Checking, "sandbox" | "includes">,
): Promise<FileFault[]> {
  const found: FileFault[] = [];
  for (const { name } of partials.filter(({ name }) => name !== BRAND)) {
    const { errors } = await sandbox.check({ html: `{{#> ${name}}}{{/${name}}}`, includes });
    found.push(...errors.map(({ line, column, partial = name, message }) => ({
      ...{ file: fileOfPartial(partial), line, column, message },
    })));
  }
  return found;
}

/** A partial that several templates include has its faults once. */
export function withoutRepeats(faults: readonly FileFault[]): FileFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

interface Checked {
  ready?: ReadyTemplate | undefined;
  faults: FileFault[];
  warnings: FileFault[];
}

/** Checks a template with its languages, each as a template of its own. */
async function check(template: Authored, checking: Checking): Promise<Checked> {
  const own = await checkBody(template, checking);
  const tags = Object.keys(template.variants);
  const bodies = await Promise.all(tags.map(async (tag) => {
    const { faults, warnings, ...rest } = await checkBody(authoredVariant(template, tag), checking);
    const placed = (fault: FileFault) => placeInTemplate(fault, { template, tag });
    return {
      ...{ ...rest, tag, faults: faults.map(placed), warnings: warnings.map(placed) },
      errors: rest.ready?.errors.map(placed) ?? [],
    };
  }));
  const all = [own, ...bodies];
  const used = all.flatMap((body) => body.used);
  const message = variantFault(sourceOfAuthored(template));
  const tooLarge = message === undefined ? [] : [{ file: template.folder, message }];
  return {
    ready: own.ready && withVariants(own.ready, { template, used, bodies }),
    faults: [...all.flatMap(({ faults }) => faults), ...tooLarge],
    warnings: [
      ...all.flatMap(({ warnings }) => warnings),
      ...(all.every(({ ready }) => ready !== undefined) ? findUnused(template, used) : []),
    ],
  };
}

function withVariants(
  ready: ReadyTemplate,
  { template, used, bodies }: {
    template: Authored;
    used: readonly string[];
    bodies: readonly (Pick<Checked, "ready"> & { tag: string; errors: FileFault[] })[];
  },
): ReadyTemplate {
  const pinned = [ready, ...bodies.flatMap((body) => body.ready ?? [])]
    .flatMap(({ assets = [] }) => assets);
  const variables = declareAll(template.settings.variables, used);
  const whole = { ...ready, variables, sourceHash: hashOf(template, pinned) };
  if (bodies.length === 0) return whole;
  const assets = [...new Map(pinned.map((asset) => [asset.name, asset])).values()];
  return {
    ...whole,
    ...(assets.length === 0 ? {} : { assets, shows: namesOf(ready) }),
    variants: Object.fromEntries(bodies.flatMap(({ tag, ready: body }) => {
      if (body === undefined) return [];
      const { source, parts, reads } = body;
      const shows = assets.length === 0 ? {} : { shows: namesOf(body) };
      return [[tag, { source, parts, reads, ...shows }]];
    })),
    errors: [...ready.errors, ...bodies.flatMap(({ errors }) => errors)],
    partials: [
      ...new Set([ready, ...bodies.flatMap((body) => body.ready ?? [])]
        .flatMap(({ partials }) => partials)),
    ],
  } as ReadyTemplate;
}

/** Returns the names of the stored files that a body shows, each once. */
function namesOf({ assets = [] }: ReadyTemplate): string[] {
  return [...new Set(assets.map(({ name }) => name))];
}

/** The result for one body, and the variables that it reads. */
interface CheckedBody extends Checked {
  used: string[];
}

async function checkBody(template: Authored, checking: Checking): Promise<CheckedBody> {
  const { settings, sample } = template;
  const { sandbox, findAsset } = checking;
  const name = await checkFilename(template, checking);
  let compiled: Compiled;
  try {
    compiled = await compile(template, checking);
  } catch (error) {
    return { faults: [...name.faults, ...faultsOf(error, template)], warnings: [], used: [] };
  }
  const read = [...compiled.variables, ...name.variables];
  const used = read.map((variable) => variable.name);
  const variables = declareAll(settings.variables, used);
  const parts = template.kind === "pdf"
    ? { ...compiled.parts, filename: name.filename }
    : compiled.parts;
  const page = template.kind === "pdf" ? template.settings.page : undefined;
  const uses = [...compiled.assets, ...appendedUses(page)];
  const assets = usedAssets(template.kind, { uses, findAsset });
  const trial = { sandbox, parts, variables, assets: assets.addresses };
  const tried = sample !== undefined && name.faults.length === 0
    ? await trySample(template, trial)
    : { faults: [] };
  const faults = [...name.faults, ...tried.faults];
  const { used: images, pinned } = assets;
  const partials = [...new Set([...compiled.partials, ...name.partials])];
  const linted = lintAuthored({
    ...{ template, variables: read, output: tried.output, assets: images },
    partials: partials.map((name) => ({ name, source: checking.includes.partials[name] ?? "" })),
  });
  const warnings = [
    ...compiled.warnings.map((text) => placeWarning(text, template)),
    ...linted.warnings,
  ];
  const { name: title, locale } = settings;
  const reads = joinReads(compiled.reads, name.reads);
  const common = { alias: template.alias, name: title, locale, variables, reads };
  const source = sourceOfAuthored(template);
  const ready = {
    ...{ ...common, sample: sample ?? {} },
    ...(pinned.length === 0 ? {} : { assets: pinned }),
    ...{ draft: withoutLineEnds(source), errors: linted.errors },
    partials,
    ...contentOf(template, parts),
  };
  return { ready: ready as ReadyTemplate, faults, warnings, used };
}

/** An editor ends a file with a line break; a subject has none. */
function withoutLineEnds({ variants, ...source }: DraftSource): DraftSource {
  const own = { ...source, subject: source.subject.trim() };
  if (variants === undefined) return own;
  const bodies = Object.entries(variants).map(([tag, body]) => [
    tag,
    { ...body, subject: body.subject.trim() },
  ]);
  return { ...own, variants: Object.fromEntries(bodies) };
}

interface Compiled {
  /** By part; a PDF template has only `html`. */
  parts: Readonly<Record<string, string>>;
  variables: readonly TemplateVariable[];
  reads: readonly TemplateRead[];
  /** Names of the partials in it. */
  partials: readonly string[];
  /** The stored images that it names. */
  assets: readonly AssetUse[];
  warnings: readonly string[];
}

async function compile(
  template: Authored,
  { sandbox, includes }: Checking,
): Promise<Compiled> {
  const { files, bodyFile, settings: { locale } } = template;
  const body = files[bodyFile] ?? "";
  if (template.kind === "pdf") {
    const { "invoice.xml": written } = files;
    const published = await sandbox.publishPdf({ html: body, invoice: written, locale, includes });
    const { html, invoice, variables, reads, partials, assets } = published;
    const parts = { html, ...(invoice === undefined ? {} : { invoice }) };
    return { parts, variables, reads, partials, assets, warnings: [] };
  }
  const written = files["text.txt.hbs"];
  const published = await sandbox.publishEmail({
    subject: files["subject.hbs"] ?? "",
    ...{ html: body, locale, includes },
    ...(written === undefined ? {} : { text: written }),
  });
  const { subject, html, text, ...found } = published;
  return { ...found, parts: { subject, html, text } };
}

async function checkFilename(
  template: Authored,
  { sandbox, includes }: Checking,
): Promise<
  { faults: FileFault[]; filename: string } & Pick<Compiled, "variables" | "reads" | "partials">
> {
  if (template.kind === "email") {
    return { faults: [], filename: "", variables: [], reads: [], partials: [] };
  }
  const { filename } = template.settings;
  const { errors, variables, reads, parts, partials } = await sandbox.check({
    ...{ subject: filename, includes },
  });
  const place = template.document.placeOf(["filename"]);
  const file = `${template.folder}/template.json`;
  const faults = errors.map(({ column, message }) => ({
    file,
    ...place,
    message: `"filename", character ${column}: ${message}`,
  }));
  return { faults, filename: parts.subject ?? filename, variables, reads, partials };
}

function declareAll(
  declared: readonly VariableDeclaration[],
  used: readonly string[],
): VariableDeclaration[] {
  const names = new Set(declared.map(({ name }) => name));
  const others = [...new Set(used)].filter((name) => !names.has(name));
  return [...declared, ...others.map((name) => ({ name, required: false }))];
}

function findUnused({ settings, document, folder }: Authored, used: readonly string[]) {
  return settings.variables.flatMap(({ name, required }, index): FileFault[] =>
    !required || used.includes(name) ? [] : [{
      file: `${folder}/template.json`,
      ...document.placeOf(["variables", index, "name"]),
      message: `variable "${name}" is required, but the template does not use it`,
    }]
  );
}

function contentOf(template: Authored, parts: Compiled["parts"]) {
  const { files, bodyFile, kind, settings } = template;
  const body = files[bodyFile] ?? "";
  const { subject = "", html = "", text = "" } = parts;
  if (kind === "pdf") {
    const { page } = settings;
    const { filename = settings.filename, invoice } = parts;
    const name = filename === settings.filename ? {} : { filename: settings.filename };
    const authored = files["invoice.xml"];
    const source = {
      html: body,
      ...name,
      ...(authored === undefined ? {} : { invoice: authored }),
    };
    const compiled = { html, filename, ...(invoice === undefined ? {} : { invoice }) };
    return { kind, source, parts: compiled, page };
  }
  const written = files["text.txt.hbs"];
  const source = {
    subject: files["subject.hbs"] ?? "",
    ...(bodyFile === "body.mjml" ? { mjml: body } : { html: body }),
    ...(written === undefined ? {} : { text: written }),
  };
  return { kind, source, parts: { subject, html, text } };
}

/** Returns a hash of the author's content of a version, with its images and without the sample. */
function hashOf({ kind, settings, files }: Authored, pinned: readonly PinnedAsset[]): string {
  const { "template.json": _json, "sample.json": _sample, ...sources } = files;
  const written = Object.entries(sources).sort(([a], [b]) => a < b ? -1 : 1);
  const images = pinned.map(({ name, sha256, url }) => [name, sha256, url]);
  const content = [kind, settings, written, ...images.length === 0 ? [] : [images]];
  return hash("sha256", JSON.stringify(content), "hex");
}

interface Trial {
  sandbox: CheckingSandbox;
  parts: Compiled["parts"];
  variables: readonly VariableDeclaration[];
  /** What `{{asset "name"}}` becomes. */
  assets: Readonly<Record<string, string>>;
}

/** The result of rendering a sample, or the reason why it failed. */
interface Tried {
  faults: FileFault[];
  output?: Readonly<Record<string, string>> | undefined;
}

async function trySample(template: Authored, trial: Trial): Promise<Tried> {
  const { folder, sample = {} } = template;
  const { sandbox, parts, variables, assets } = trial;
  const absent = missingVariables(variables, sample);
  if (absent.length > 0) {
    const file = `${folder}/sample.json`;
    const faults = absent.map((name) => ({
      file,
      line: 1,
      column: 1,
      message: `variable "${name}" is required, but the sample does not have it`,
    }));
    return { faults };
  }
  const data = withDefaults(variables, sample);
  try {
    const output = await sandbox.render(toSources(template, { parts, assets }), data);
    return { faults: await invoiceFaults(template, output["invoice"]), output };
  } catch (error) {
    const place = await findPlace(error, template, { sandbox, data, assets });
    const faults = faultsOf(error, template).map((fault) => ({
      ...fault,
      ...place,
      message: `with sample.json: ${fault.message}`,
    }));
    return { faults };
  }
}

/** Returns the fault of an invoice that cannot be sent. */
async function invoiceFaults(
  template: Authored,
  invoice: string | undefined,
): Promise<FileFault[]> {
  if (template.kind === "email") return [];
  try {
    await pdfInvoice({ xml: invoice, page: template.settings.page });
    return [];
  } catch (error) {
    if (!(error instanceof InvoiceError)) throw error;
    const file = `${template.folder}/${invoice === undefined ? "template.json" : "invoice.xml"}`;
    return [{ file, message: `with sample.json: ${error.message}` }];
  }
}

function toSources(
  template: Authored,
  { parts, assets }: Pick<Trial, "parts" | "assets">,
): Record<string, TemplateSource> {
  const { folder, settings } = template;
  return Object.fromEntries(
    Object.entries(parts).map(([part, source]) => [part, {
      key: `import/${folder}/${part}`,
      source,
      escape: part === "html" ? "html" : part === "invoice" ? "xml" : "none",
      locale: settings.locale,
      ...(part === "html" ? { assets } : {}),
    }]),
  );
}

/**
 * Returns the place of a fault in the source. A compiled body has other lines, so the source is filled to
 * find it.
 */
async function findPlace(
  error: unknown,
  template: Authored,
  { sandbox, data, assets }: Pick<Trial, "sandbox" | "assets"> & {
    data: Record<string, unknown>;
  },
): Promise<{ line?: number; column?: number }> {
  if (!(error instanceof RenderError)) return {};
  if (error.part === "filename") return template.document.placeOf(["filename"]);
  if (error.part === "subject") return placeOf(error);
  const file = fileOfPart(template, error.part);
  const source = template.files[file] ?? "";
  try {
    await sandbox.render(
      { html: { key: `import/${template.folder}/${file}`, source, escape: "html", assets } },
      data,
    );
    return {};
  } catch (again) {
    return again instanceof RenderError ? placeOf(again) : {};
  }
}

function placeOf({ line, column }: RenderError): { line?: number; column?: number } {
  return line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
}

function faultsOf(error: unknown, template: Authored): FileFault[] {
  const inFolder = (name: string) => `${template.folder}/${name}`;
  if (error instanceof InvalidTemplateError) {
    return error.errors.map(({ part, line, column, partial, message }) => ({
      file: partial === undefined ? inFolder(fileOfPart(template, part)) : fileOfPartial(partial),
      line,
      column,
      message,
    }));
  }
  if (!(error instanceof RenderError) || error.code === "sandbox" || error.code === "closed") {
    throw error;
  }
  return [{ file: inFolder(fileOfPart(template, error.part)), message: error.message }];
}

function placeWarning(text: string, { folder, bodyFile }: Authored): FileFault {
  const file = `${folder}/${bodyFile}`;
  const [, line, message] = /^Line (\d+): ([\s\S]*)$/.exec(text) ?? [];
  return message === undefined
    ? { file, message: text }
    : { file, line: Number(line), column: 1, message };
}
