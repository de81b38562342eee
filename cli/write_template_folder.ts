import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  differingFiles,
  filedSource,
  filesOf,
  isPartialFile,
  isTemplateFile,
  readBundle,
  sourceOfAuthored,
} from "@posthaste/bundle";
import { aliasSchema, BRAND, type TemplateKind } from "@posthaste/contracts";
import { CommandError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";
import { isMissingFolder, readTemplateFolder } from "./read_template_folder.ts";

/** The result for one template, partial, brand or asset of a folder. */
export interface PulledTemplate {
  kind: TemplateKind | "partial" | "asset";
  /** The name of a partial or an asset; `@brand` for the brand. */
  alias: string;
  outcome: "new" | "updated" | "unchanged" | "removed";
}

/** Options beside writing. */
export interface WriteOptions {
  /** Whether to remove templates without files. */
  prune: boolean;
  /** Whether a template of the folder is one of those that are written. */
  isMeant(template: { kind: string; alias: string }): boolean;
}

type Files = Record<string, string>;

/**
 * Writes templates into a folder. Files with the same content stay unchanged, however they are formatted;
 * unknown files in the folder stay, too.
 *
 * @throws {CommandError} If a path leads out of the folder.
 */
export async function writeTemplateFolder(
  folder: string,
  files: Files,
  { prune, isMeant }: WriteOptions,
): Promise<PulledTemplate[]> {
  Object.keys(files).forEach(checkPath);
  const [templates, partials] = divided(files);
  const wanted = byTemplate(templates);
  const found = await readTemplateFolder(folder).catch((error: unknown) => {
    if (!isMissingFolder(error)) throw error;
    return { files: {}, faults: [] };
  });
  // A file that cannot be read is there, and is replaced.
  const unreadable = Object.fromEntries(found.faults.map(({ file }) => [file, ""]));
  const [thereNow, partialsNow] = divided({ ...unreadable, ...found.files });
  const there = byTemplate(thereNow, isMeant);
  const pulled: PulledTemplate[] = [];
  for (const [path, texts] of wanted) {
    const before = there.get(path);
    const outcome = before === undefined ? "new" : isSame(before, texts) ? "unchanged" : "updated";
    if (outcome !== "unchanged") await replace(folder, before ?? {}, texts);
    pulled.push({ ...partsOf(path), outcome });
  }
  for (const [path, texts] of there) {
    if (!prune || wanted.has(path)) continue;
    await replace(folder, texts, {});
    // It may contain unknown files.
    await rmdir(join(folder, path)).catch(() => {});
    pulled.push({ ...partsOf(path), outcome: "removed" });
  }
  return [...pulled, ...await writePartials(folder, partials, { before: partialsNow, prune })];
}

/**
 * Writes partials and the brand. They are removed from the folder only if the account has others: one without any
 * may be older than partials.
 */
async function writePartials(
  folder: string,
  files: Files,
  { before, prune }: { before: Files; prune: boolean },
): Promise<PulledTemplate[]> {
  const pulled: PulledTemplate[] = [];
  for (const [path, text] of Object.entries(files)) {
    const old = before[path];
    const outcome = old === undefined
      ? "new"
      : isSamePartial(path, old, text)
      ? "unchanged"
      : "updated";
    if (outcome !== "unchanged") await replace(folder, {}, { [path]: text });
    pulled.push({ ...namedPartial(path), outcome });
  }
  const gone = Object.keys(before).filter((path) => files[path] === undefined);
  for (const path of prune && Object.keys(files).length > 0 ? gone : []) {
    await rm(join(folder, path));
    pulled.push({ ...namedPartial(path), outcome: "removed" });
  }
  return pulled;
}

/** Divides files into those of templates, and those of partials and the brand. */
function divided(files: Files): [templates: Files, partials: Files] {
  const entries = Object.entries(files);
  return [
    Object.fromEntries(entries.filter(([path]) => !isPartialFile(path))),
    Object.fromEntries(entries.filter(([path]) => isPartialFile(path))),
  ];
}

function isSamePartial(path: string, before: string, after: string): boolean {
  const read = (text: string) => readBundle({ [path]: text }).partials[0];
  const [one, other] = [read(before), read(after)];
  return one !== undefined && other !== undefined && filedSource(one) === filedSource(other);
}

function namedPartial(path: string): Pick<PulledTemplate, "kind" | "alias"> {
  const [, name = BRAND] = /^partials\/(.+)\.hbs$/.exec(path) ?? [];
  return { kind: "partial", alias: name };
}

/** Groups files by the folders of their templates. */
function byTemplate(files: Files, isMeant: WriteOptions["isMeant"] = () => true) {
  const folders = new Map<string, Files>();
  for (const [path, text] of Object.entries(files)) {
    const [kind = "", alias = ""] = path.split("/");
    if (!isMeant({ kind, alias })) continue;
    const folder = `${kind}/${alias}`;
    folders.set(folder, { ...folders.get(folder), [path]: text });
  }
  return folders;
}

/** Throws unless a path from a server is inside of a template's folder. */
function checkPath(path: string): void {
  if (isPartialFile(path)) return;
  const [kind = "", alias = "", ...rest] = path.split("/");
  const isKnown = (kind === "email" || kind === "pdf") && isTemplateFile(kind, rest.join("/"));
  if (isKnown && aliasSchema.safeParse(alias).success) return;
  const message = `Cannot write "${path}": it is not a file of a template`;
  throw new CommandError(message, { exitCode: EXIT.failed });
}

function isSame(before: Files, after: Files): boolean {
  return differingFiles(canonical(before), canonical(after)).length === 0;
}

/** Files that cannot be read as a template are what they are. */
function canonical(files: Files): Files {
  const [template] = readBundle(files).templates;
  if (template === undefined) return files;
  const { kind, alias, settings: { name } } = template;
  return filesOf({ kind, alias, name, source: sourceOfAuthored(template) });
}

async function replace(folder: string, before: Files, after: Files): Promise<void> {
  for (const [path, text] of Object.entries(after)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  for (const path of Object.keys(before)) {
    if (after[path] !== undefined) continue;
    await rm(join(folder, path));
    // The folder of a language may contain unknown files.
    const isVariant = path.split("/").length > 3;
    if (isVariant) await rmdir(join(folder, dirname(path))).catch(() => {});
  }
}

function partsOf(path: string): Pick<PulledTemplate, "kind" | "alias"> {
  const [kind, alias = ""] = path.split("/");
  return { kind: kind === "pdf" ? "pdf" : "email", alias };
}
