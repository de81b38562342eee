import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { z } from "zod";

/** A part of a template of another product, and the file that it is in. */
export interface ForeignPart {
  file: string;
  text: string;
}

/** An exported template of another product. */
export interface ForeignTemplate {
  name: string;
  subject: ForeignPart | undefined;
  html: ForeignPart;
  text: ForeignPart | undefined;
}

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_TEMPLATES = 1_000;
const MAX_DEPTH = 5;

const postmarkSchema = z.object({ Name: z.string().optional(), Subject: z.string().optional() });
/** What SendGrid returns for a template; one version of it is active. */
const sendgridSchema = z.object({
  name: z.string(),
  versions: z.array(z.object({
    active: z.number().optional(),
    subject: z.string().nullish(),
    html_content: z.string().nullish(),
    plain_content: z.string().nullish(),
  })),
});
/** What Mandrill returns for a template; the published content counts. */
const mandrillSchema = z.object({
  name: z.string(),
  code: z.string().nullish(),
  subject: z.string().nullish(),
  text: z.string().nullish(),
  publish_code: z.string().nullish(),
  publish_subject: z.string().nullish(),
  publish_text: z.string().nullish(),
});

/**
 * Reads templates of other products: folders with `content.html`, `content.txt` and `meta.json` as
 * Postmark's tool writes them, `.json` as SendGrid and Mandrill answer, and `.html` or `.mjml` with a `.txt`
 * beside it. HTML beside MJML of the same name was made from it, and is left out.
 *
 * @throws {Error} If the folder cannot be read.
 */
export async function readForeignTemplates(root: string): Promise<ForeignTemplate[]> {
  const found: ForeignTemplate[] = [];
  await readFolder(root, { root, found, depth: 0 });
  return found;
}

interface Reading {
  root: string;
  found: ForeignTemplate[];
  depth: number;
}

async function readFolder(folder: string, reading: Reading): Promise<void> {
  const { root, found, depth } = reading;
  const entries = (await readdir(folder, { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => a.name < b.name ? -1 : 1);
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const read = async (name: string) =>
    names.includes(name) ? await partIn(root, join(folder, name)) : undefined;
  for (const name of names) {
    if (found.length >= MAX_TEMPLATES) return;
    if (name === "meta.json" || isCompiled(name, names)) continue;
    const part = /\.(?:html?|mjml|json)$/i.test(name) ? await read(name) : undefined;
    if (part === undefined) continue;
    if (name.endsWith(".json")) {
      found.push(...templatesIn(part));
      continue;
    }
    const isPostmark = name === "content.html";
    const meta = isPostmark ? await read("meta.json") : undefined;
    const { Name, Subject } = metaOf(meta);
    const text = await read(`${stemOf(name)}.txt`);
    const own = isPostmark ? basename(folder) : stemOf(name);
    const subject = Subject === undefined || meta === undefined
      ? titleOf(part)
      : { file: meta.file, text: Subject };
    found.push({ name: Name ?? own, subject, html: part, text });
  }
  if (depth >= MAX_DEPTH) return;
  for (const entry of entries.filter((entry) => entry.isDirectory())) {
    await readFolder(join(folder, entry.name), { ...reading, depth: depth + 1 });
  }
}

function stemOf(name: string): string {
  return name.replace(/\.(?:html?|mjml)$/i, "");
}

function isCompiled(name: string, names: readonly string[]): boolean {
  return /\.html?$/i.test(name) &&
    names.some((other) => /\.mjml$/i.test(other) && stemOf(other) === stemOf(name));
}

async function partIn(root: string, path: string): Promise<ForeignPart | undefined> {
  if ((await stat(path)).size > MAX_FILE_BYTES) return undefined;
  const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  return { file: relative(root, path), text };
}

function metaOf(meta: ForeignPart | undefined): z.infer<typeof postmarkSchema> {
  return meta === undefined ? {} : postmarkSchema.safeParse(parsed(meta.text)).data ?? {};
}

/** Returns the title of a page, which is closest to a subject. */
function titleOf({ file, text }: ForeignPart): ForeignPart | undefined {
  const [, title = ""] = /<(?:mj-)?title[^>]{0,200}>([^<]{1,500})<\/(?:mj-)?title/i.exec(text) ??
    [];
  const line = title.replaceAll("&amp;", "&").replaceAll(/\s+/g, " ").trim();
  return line === "" ? undefined : { file, text: line };
}

/** Other JSON, such as data for a preview, holds no template. */
function templatesIn({ file, text }: ForeignPart): ForeignTemplate[] {
  const value = parsed(text);
  const part = (content: string | null | undefined) =>
    content === null || content === undefined || content.trim() === ""
      ? undefined
      : { file, text: content };
  const sendgrid = sendgridSchema.safeParse(value).data;
  const version = sendgrid?.versions.find(({ active }) => active === 1) ?? sendgrid?.versions[0];
  const mandrill = mandrillSchema.safeParse(value).data;
  const html = part(version?.html_content ?? mandrill?.publish_code ?? mandrill?.code);
  const name = sendgrid?.name ?? mandrill?.name;
  if (html === undefined || name === undefined) return [];
  return [{
    ...{ name, html },
    subject: part(version?.subject ?? mandrill?.publish_subject ?? mandrill?.subject),
    text: part(version?.plain_content ?? mandrill?.publish_text ?? mandrill?.text),
  }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
