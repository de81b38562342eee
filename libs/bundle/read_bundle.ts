import {
  aliasSchema,
  canonicalLocale,
  TEMPLATE_KINDS,
  type TemplateKind,
  type Variables,
  variablesSchema,
  variantsSchema,
} from "@posthaste/contracts";
import { isMjml } from "@posthaste/templating";
import { z } from "zod";
import type { FileFault } from "./file_fault.ts";
import { type JsonDocument, MAX_FAULTS, readJson } from "./json_document.ts";
import { type AuthoredPartial, isPartialFile, readPartials } from "./partial_files.ts";
import { isTemplateFile, maxBytesOf, NEEDED_FILES, partsOfFile } from "./template_files.ts";
import {
  type EmailSettings,
  type PdfSettings,
  readTemplateSettings,
} from "./_template_settings.ts";

interface AuthoredBase {
  alias: string;
  /** `email/welcome` */
  folder: string;
  /** The text of each file, by its name: `subject.hbs`, or `de/subject.hbs` for a language variant. */
  files: Readonly<Record<string, string>>;
  /** The names of the bodies' files of the language variants, by their canonical tags. */
  variants: Readonly<Record<string, string>>;
  /** `template.json`, to find places in it. */
  document: JsonDocument;
  /** The variables of `sample.json`, if there is one. */
  sample: Variables | undefined;
}

/** An email template as its author wrote it. */
export interface AuthoredEmail extends AuthoredBase {
  kind: "email";
  settings: EmailSettings;
  bodyFile: "body.html.hbs" | "body.mjml";
}

/** A PDF template as its author wrote it. */
export interface AuthoredPdf extends AuthoredBase {
  kind: "pdf";
  settings: PdfSettings;
  bodyFile: "body.html.hbs";
}

/** A template as its author wrote it. */
export type Authored = AuthoredEmail | AuthoredPdf;

/** The contents of a bundle. Templates and partials with faults in their files are left out. */
export interface ReadBundle {
  templates: Authored[];
  /** By their files; the brand is one of them. */
  partials: AuthoredPartial[];
  faults: FileFault[];
  warnings: FileFault[];
}

type Report = (name: string, fault: Omit<FileFault, "file">) => void;
type Files = Record<string, string>;

/** After so many faults, no further template is read: to find one takes far longer than to read a good file. */
const MAX_BUNDLE_FAULTS = 1_000;

const PATH_PATTERN = /^(email|pdf)\/([^/]+)\/((?:[^/]+\/)?[^/]+)$/;

/**
 * Reads templates out of files by their paths, `email/<alias>/…` and `pdf/<alias>/…`, in the order of their
 * names. It checks only files and settings, not the text between the braces.
 *
 * @param unreadable Faults of files that could not be read: their templates are left out, too.
 */
export function readBundle(
  files: Readonly<Files>,
  unreadable: readonly FileFault[] = [],
): ReadBundle {
  const { partials, faults: unusable } = readPartials(files);
  const found: ReadBundle = { templates: [], partials, faults: [...unusable], warnings: [] };
  const folders = foldersOf(files, unreadable, found.warnings);
  for (const { kind, alias } of sortedIn(folders)) {
    if (found.faults.length >= MAX_BUNDLE_FAULTS) {
      const message = "there are too many faults: the templates from here on were not read";
      found.faults.push({ file: `${kind}/${alias}`, message });
      break;
    }
    const folder = `${kind}/${alias}`;
    const faults = unreadable.filter(({ file }) => file.startsWith(`${folder}/`));
    const template = readTemplate(found, {
      ...{ kind, alias, files: folders[kind].get(alias) ?? {}, unreadable: faults },
    });
    if (template !== undefined) found.templates.push(template);
  }
  if (found.templates.length + partials.length + found.faults.length === 0) {
    const message = 'it contains no template: expected "email/<alias>/" or "pdf/<alias>/"';
    found.faults.push({ file: "", message });
  }
  return found;
}

type Folders = Record<TemplateKind, Map<string, Files>>;

function sortedIn(folders: Folders): { kind: TemplateKind; alias: string }[] {
  return TEMPLATE_KINDS.flatMap((kind) =>
    [...folders[kind].keys()].sort().map((alias) => ({ kind, alias }))
  );
}

function foldersOf(
  files: Readonly<Files>,
  unreadable: readonly FileFault[],
  warnings: FileFault[],
): Folders {
  const folders = { email: new Map<string, Files>(), pdf: new Map<string, Files>() };
  const open = (kind: TemplateKind, alias: string) => {
    const folder = folders[kind].get(alias) ?? {};
    folders[kind].set(alias, folder);
    return folder;
  };
  for (const [path, text] of Object.entries(files)) {
    if (isPartialFile(path)) continue;
    const [, kind, alias = "", name = ""] = PATH_PATTERN.exec(path) ?? [];
    if (kind !== "email" && kind !== "pdf") {
      const message = "is ignored: it is not in a template's folder";
      warnings.push({ file: path, message });
    } else if (!isTemplateFile(kind, name)) {
      warnings.push({ file: path, message: "is ignored: unknown name" });
    } else {
      const folder = open(kind, alias);
      const known = canonicalName(name);
      if (folder[known] !== undefined) {
        warnings.push({ file: path, message: `is ignored: it is "${known}" again` });
        continue;
      }
      // The same template checked out under Windows is the same template.
      folder[known] = text.replaceAll("\r\n", "\n");
    }
  }
  for (const { file } of unreadable) {
    const [, kind, alias = ""] = PATH_PATTERN.exec(file) ?? [];
    if (kind === "email" || kind === "pdf") open(kind, alias);
  }
  return folders;
}

interface TemplateFiles {
  kind: TemplateKind;
  alias: string;
  files: Files;
  unreadable: readonly FileFault[];
}

function readTemplate(
  found: ReadBundle,
  { kind, alias, files, unreadable }: TemplateFiles,
): Authored | undefined {
  const folder = `${kind}/${alias}`;
  const before = found.faults.length;
  const report: Report = (name, fault) =>
    found.faults.push({ file: name === "" ? folder : `${folder}/${name}`, ...fault });

  const problem = aliasSchema.safeParse(alias).error?.issues[0]?.message;
  if (problem !== undefined) report("", { message: `the name of the folder ${problem}` });
  found.faults.push(...unreadable);
  checkFiles(files, kind, { report, unreadable, folder });
  const bodyFile = findBody(files, report);
  const settings = readSettings(files, kind, report);
  const variants = readVariants(files, kind, { locale: settings?.settings.locale, report });
  const sample = readSample(readable(files, "sample.json"), report);
  if (found.faults.length > before || settings === undefined) return undefined;
  const base = { alias, folder, files, variants, document: settings.document, sample };
  return { ...base, kind, settings: settings.settings, bodyFile } as Authored;
}

function checkFiles(
  files: Readonly<Files>,
  kind: TemplateKind,
  { report, unreadable, folder }: {
    report: Report;
    unreadable: readonly FileFault[];
    folder: string;
  },
): void {
  for (const [name, text] of Object.entries(files)) {
    const max = maxBytesOf(name);
    if (Buffer.byteLength(text) > max) report(name, { message: describeTooLarge(max) });
  }
  const has = (name: string) =>
    files[name] !== undefined || unreadable.some(({ file }) => file === `${folder}/${name}`);
  for (const name of NEEDED_FILES[kind]) {
    if (!has(name)) report(name, { message: "is missing" });
  }
  if (kind === "email" && !has("body.mjml") && !has("body.html.hbs")) {
    report("", { message: 'has no body: write "body.html.hbs" or "body.mjml"' });
  }
}

/** Returns the fault of a file that exceeds its limit of bytes. */
export function describeTooLarge(maxBytes: number): string {
  return `is larger than ${maxBytes / 1024} KiB`;
}

function findBody(files: Readonly<Files>, report: Report): string {
  const { "body.mjml": mjml, "body.html.hbs": html } = files;
  const top = { line: 1, column: 1 };
  if (mjml !== undefined && html !== undefined) {
    report("", { message: 'has two bodies: keep "body.html.hbs" or "body.mjml"' });
  }
  if (mjml !== undefined && !isMjml(mjml)) {
    report("body.mjml", { ...top, message: "is not MJML: it must begin with <mjml>" });
  }
  if (html !== undefined && isMjml(html)) {
    report("body.html.hbs", { ...top, message: 'is MJML: name the file "body.mjml"' });
  }
  return mjml === undefined ? "body.html.hbs" : "body.mjml";
}

/** Finds the bodies of the language variants, and reports what they lack. */
function readVariants(
  files: Readonly<Files>,
  kind: TemplateKind,
  { locale, report }: { locale: string | undefined; report: Report },
): Record<string, string> {
  const variants: Record<string, string> = {};
  const filesOfTags = byTag(files);
  const tags = [...filesOfTags.keys()].sort();
  for (const tag of tags) {
    const own = filesOfTags.get(tag) ?? {};
    const within: Report = (name, fault) => report(name === "" ? tag : `${tag}/${name}`, fault);
    variants[tag] = findBody(own, within);
    for (const name of kind === "email" ? ["subject.hbs"] : []) {
      if (own[name] === undefined) within(name, { message: "is missing" });
    }
    if (own["body.mjml"] === undefined && own["body.html.hbs"] === undefined) {
      const wanted = kind === "email" ? '"body.html.hbs" or "body.mjml"' : '"body.html.hbs"';
      within("", { message: `has no body: write ${wanted}` });
    }
  }
  for (const message of variantFaults(tags, locale)) report("", { message });
  return variants;
}

/** Returns the files of each language variant, by its tag. A malicious bundle has thousands of tags. */
function byTag(files: Readonly<Files>): Map<string, Files> {
  const found = new Map<string, Files>();
  for (const [name, text] of Object.entries(files)) {
    const { tag, file } = partsOfFile(name);
    if (tag === undefined) continue;
    const own = found.get(tag) ?? {};
    own[file] = text;
    found.set(tag, own);
  }
  return found;
}

function variantFaults(tags: readonly string[], locale: string | undefined): string[] {
  const found = variantsSchema(z.unknown()).safeParse(
    Object.fromEntries(tags.map((tag) => [tag, ""])),
  ).error?.issues ?? [];
  const own = locale === undefined ? undefined : canonicalLocale(locale);
  return [
    ...found.map(({ path, message }) => [...path, message].join(" ")),
    ...(own !== undefined && tags.includes(own)
      ? [`"${own}" is the language of the template itself: its body is not in a folder`]
      : []),
  ];
}

/** Returns the name of a file of a template with the tag of its variant in canonical form. */
function canonicalName(name: string): string {
  const { tag, file } = partsOfFile(name);
  return tag === undefined ? name : `${canonicalLocale(tag) ?? tag}/${file}`;
}

/** Returns the text of a file, unless it is too large, which is reported already. */
function readable(files: Readonly<Files>, name: string): string | undefined {
  const text = files[name];
  return text === undefined || Buffer.byteLength(text) > maxBytesOf(name) ? undefined : text;
}

function readSettings(files: Readonly<Files>, kind: TemplateKind, report: Report) {
  const text = readable(files, "template.json");
  if (text === undefined) return undefined;
  const { document, faults } = readJson(text);
  for (const fault of faults) report("template.json", fault);
  if (document === undefined) return undefined;
  const read = readTemplateSettings(kind, document);
  for (const fault of read.faults) report("template.json", fault);
  return read.settings === undefined ? undefined : { document, settings: read.settings };
}

function readSample(text: string | undefined, report: Report): Variables | undefined {
  if (text === undefined) return undefined;
  const { document, faults } = readJson(text);
  for (const fault of faults) report("sample.json", fault);
  const result = document && variablesSchema.safeParse(document.value);
  for (const { message } of result?.error?.issues.slice(0, MAX_FAULTS) ?? []) {
    report("sample.json", { line: 1, column: 1, message });
  }
  return result?.data;
}
