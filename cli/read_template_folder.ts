import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  describeTooLarge,
  type FileFault,
  isPartialFile,
  isTemplateFile,
  maxBytesOf,
} from "@posthaste/bundle";
import { canonicalLocale, TEMPLATE_KINDS } from "@posthaste/contracts";

/** The files of a folder of templates. */
export interface TemplateFolder {
  /** Texts by path, with slashes: `email/welcome/subject.hbs`. */
  files: Record<string, string>;
  /** Files that cannot be read as text, or are too large. */
  faults: FileFault[];
  warnings: FileFault[];
}

/**
 * Reads the files of a folder of templates: `email/<alias>/` and `pdf/<alias>/`, `partials/<name>.hbs` and
 * `brand.json`.
 *
 * @throws {Error} If the folder cannot be read.
 */
export async function readTemplateFolder(folder: string): Promise<TemplateFolder> {
  const found: TemplateFolder = { files: {}, faults: [], warnings: [] };
  const kinds = await list(folder);
  for (const kind of TEMPLATE_KINDS) {
    if (!kinds.includes(kind)) continue;
    for (const alias of await list(join(folder, kind))) {
      const path = `${kind}/${alias}`;
      if (!(await stat(join(folder, path))).isDirectory()) {
        const message = "is ignored: it is not in a template's folder";
        found.warnings.push({ file: path, message });
        continue;
      }
      const names = await list(join(folder, path));
      for (const name of names) await readWithin(found, folder, `${path}/${name}`);
      // It is meant as a template: missing files are reported.
      if (names.length === 0) found.faults.push({ file: `${path}/template.json`, message: EMPTY });
    }
  }
  await readPartialsInto(found, folder, kinds);
  return found;
}

/** Reads the partials and the brand of a folder. */
async function readPartialsInto(
  found: TemplateFolder,
  folder: string,
  names: readonly string[],
): Promise<void> {
  const partials = names.includes("partials") ? await list(join(folder, "partials")) : [];
  const paths = [
    ...names.filter((name) => isPartialFile(name)),
    ...partials.map((name) => `partials/${name}`),
  ];
  for (const path of paths) {
    if (!isPartialFile(path)) {
      found.warnings.push({ file: path, message: "is ignored: unknown name" });
      continue;
    }
    const text = await readText(join(folder, path), MAX_PARTIAL_BYTES);
    if ("text" in text) found.files[path] = text.text;
    else found.faults.push({ file: path, message: text.problem });
  }
}

/** Of one file; its characters have a limit of their own. */
const MAX_PARTIAL_BYTES = 400 * 1024;

/** Returns whether an error means that a folder does not exist. */
export function isMissingFolder(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (code === "ENOENT" || code === "ENOTDIR") && syscall === "scandir";
}

const EMPTY = "is missing: the folder is empty";

/** Reads a file of a template, or those of one of its languages. */
async function readWithin(found: TemplateFolder, folder: string, path: string): Promise<void> {
  const isVariant = canonicalLocale(basename(path)) !== undefined &&
    (await stat(join(folder, path))).isDirectory();
  if (!isVariant) return await readInto(found, folder, path);
  for (const name of await list(join(folder, path))) {
    await readInto(found, folder, `${path}/${name}`);
  }
}

async function readInto(found: TemplateFolder, folder: string, path: string): Promise<void> {
  const [kind, , ...rest] = path.split("/");
  const name = rest.join("/");
  if (!isTemplateFile(kind === "pdf" ? "pdf" : "email", name)) {
    found.warnings.push({ file: path, message: "is ignored: unknown name" });
    return;
  }
  const text = await readText(join(folder, path), maxBytesOf(name));
  if ("text" in text) found.files[path] = text.text;
  else found.faults.push({ file: path, message: text.problem });
}

/** Lists a folder by name, without hidden files. */
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
  if (info.size > maxBytes) return { problem: describeTooLarge(maxBytes) };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path)) };
  } catch {
    return { problem: "is not UTF-8 text" };
  }
}
