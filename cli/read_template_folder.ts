import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { aliasSchema, type Variables, variablesSchema } from "@posthaste/contracts";
import { type JsonDocument, readJson } from "./json_document.ts";
import { type EmailSettings, type PdfSettings, readTemplateSettings } from "./template_settings.ts";

/** What is wrong, or worth knowing, about a file of a template folder. */
export interface FileFault {
  /** From the folder, with slashes: `email/welcome/subject.hbs`. */
  file: string;
  /** From 1; missing where the whole file is meant. */
  line?: number | undefined;
  /** From 1. */
  column?: number | undefined;
  message: string;
  /** Code of the rule for templates that it breaks. */
  rule?: string;
}

interface AuthoredBase {
  alias: string;
  /** `email/welcome` */
  folder: string;
  /** The text of each file that was read, by its name. */
  files: Readonly<Record<string, string>>;
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

/** What was found in a folder. Templates with faults in their files are not among `templates`. */
export interface TemplateFolder {
  templates: (AuthoredEmail | AuthoredPdf)[];
  faults: FileFault[];
  warnings: FileFault[];
}

/** Returns the file of a part, or that which it is made from. */
export function fileOfPart(
  { files, bodyFile }: AuthoredEmail | AuthoredPdf,
  part: string | undefined,
): string {
  if (part === "subject") return "subject.hbs";
  if (part === "filename") return "template.json";
  return part === "text" && files["text.txt.hbs"] !== undefined ? "text.txt.hbs" : bodyFile;
}

/** The most bytes of each file. What a template may be is decided when it is checked. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  "template.json": 256 * 1024,
  "sample.json": 1024 * 1024,
  "subject.hbs": 16 * 1024,
  "body.html.hbs": 2 * 1024 * 1024,
  "body.mjml": 2 * 1024 * 1024,
  "text.txt.hbs": 512 * 1024,
};

const FILES = {
  email: ["template.json", "subject.hbs", "body.html.hbs", "body.mjml", "text.txt.hbs"],
  pdf: ["template.json", "body.html.hbs"],
} as const;

const NEEDED = { email: ["template.json", "subject.hbs"], pdf: FILES.pdf } as const;
const MJML = /^\s*(?:<!--[\s\S]*?-->\s*)*<mjml[\s>]/i;

type Kind = keyof typeof FILES;

/**
 * Reads a folder of templates, `email/<alias>/` and `pdf/<alias>/`, in the order of their names. It
 * looks at files and settings only, not at what stands between the braces.
 *
 * @throws {Error} If the folder cannot be read.
 */
export async function readTemplateFolder(folder: string): Promise<TemplateFolder> {
  const found: TemplateFolder = { templates: [], faults: [], warnings: [] };
  const names = await list(folder);
  for (const kind of ["email", "pdf"] as const) {
    if (!names.includes(kind)) continue;
    for (const alias of await list(join(folder, kind))) {
      const path = `${kind}/${alias}`;
      if (!(await stat(join(folder, path))).isDirectory()) {
        found.warnings.push({
          file: path,
          message: "is ignored: it is not in a template's folder",
        });
        continue;
      }
      const template = await readTemplate(found, { root: folder, kind, alias });
      if (template !== undefined) found.templates.push(template);
    }
  }
  if (found.templates.length === 0 && found.faults.length === 0) {
    const message = 'it contains no template: expected "email/<alias>/" or "pdf/<alias>/"';
    found.faults.push({ file: "", message });
  }
  return found;
}

interface TemplatePlace {
  root: string;
  kind: Kind;
  alias: string;
}

async function readTemplate(
  found: TemplateFolder,
  { root, kind, alias }: TemplatePlace,
): Promise<AuthoredEmail | AuthoredPdf | undefined> {
  const folder = `${kind}/${alias}`;
  const before = found.faults.length;
  const report = (name: string, fault: Omit<FileFault, "file">) =>
    found.faults.push({ file: name === "" ? folder : `${folder}/${name}`, ...fault });

  const problem = aliasSchema.safeParse(alias).error?.issues[0]?.message;
  if (problem !== undefined) report("", { message: `the name of the folder ${problem}` });
  const files = await readFiles(join(root, folder), kind, {
    report,
    ignored: (name) =>
      found.warnings.push({ file: `${folder}/${name}`, message: "is ignored: unknown name" }),
  });
  const bodyFile = findBody(files, report);
  const settings = readSettings(files, kind, report);
  const sample = readSample(files["sample.json"], report);
  if (found.faults.length > before || settings === undefined) return undefined;
  const base = { alias, folder, files, document: settings.document, sample };
  return { ...base, kind, settings: settings.settings, bodyFile } as AuthoredEmail | AuthoredPdf;
}

type Report = (name: string, fault: Omit<FileFault, "file">) => void;

async function readFiles(
  folder: string,
  kind: Kind,
  { report, ignored }: { report: Report; ignored: (name: string) => void },
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const known: readonly string[] = [...FILES[kind], "sample.json"];
  const names = await list(folder);
  for (const name of names) {
    if (!known.includes(name)) {
      ignored(name);
      continue;
    }
    const text = await readText(join(folder, name), MAX_BYTES[name] ?? 0);
    if ("text" in text) files[name] = text.text;
    else report(name, { message: text.problem });
  }
  for (const name of NEEDED[kind]) {
    if (!names.includes(name)) report(name, { message: "is missing" });
  }
  if (kind === "email" && !names.includes("body.mjml") && !names.includes("body.html.hbs")) {
    report("", { message: 'has no body: write "body.html.hbs" or "body.mjml"' });
  }
  return files;
}

function findBody(files: Readonly<Record<string, string>>, report: Report): string {
  const { "body.mjml": mjml, "body.html.hbs": html } = files;
  const top = { line: 1, column: 1 };
  if (mjml !== undefined && html !== undefined) {
    report("", { message: 'has two bodies: keep "body.html.hbs" or "body.mjml"' });
  }
  if (mjml !== undefined && !MJML.test(mjml)) {
    report("body.mjml", { ...top, message: "is not MJML: it must begin with <mjml>" });
  }
  if (html !== undefined && MJML.test(html)) {
    report("body.html.hbs", { ...top, message: 'is MJML: name the file "body.mjml"' });
  }
  return mjml === undefined ? "body.html.hbs" : "body.mjml";
}

function readSettings(files: Readonly<Record<string, string>>, kind: Kind, report: Report) {
  const text = files["template.json"];
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
  for (const { message } of result?.error?.issues ?? []) {
    report("sample.json", { line: 1, column: 1, message });
  }
  return result?.data;
}

/** Lists a folder by name, without what is hidden. */
async function list(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => !name.startsWith(".") && !name.endsWith("~")).sort();
}

async function readText(
  path: string,
  maxBytes: number,
): Promise<{ text: string } | { problem: string }> {
  const info = await stat(path);
  if (!info.isFile()) return { problem: "is not a file" };
  if (info.size > maxBytes) return { problem: `is larger than ${maxBytes / 1024} KiB` };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
    // The same template checked out under Windows is the same template.
    return { text: text.replaceAll("\r\n", "\n") };
  } catch {
    return { problem: "is not UTF-8 text" };
  }
}
