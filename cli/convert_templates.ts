import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  isMjml,
  type TemplatePart,
  type TranslatedProduct,
  translateTemplate,
} from "@posthaste/templating";
import {
  type ForeignPart,
  type ForeignTemplate,
  readForeignTemplates,
} from "./read_foreign_templates.ts";

/** Options of {@linkcode convertTemplates}. */
export interface ConvertOptions {
  product: TranslatedProduct;
  /** Path of the exported templates. */
  folder: string;
  /** Path of a folder that is empty, or not there yet. */
  target: string;
}

/** A place that a person has to check. */
export interface LeftPlace {
  /** From the folder of the exported templates. */
  file: string;
  line: number;
  column: number;
  text: string;
  why: string;
}

/** The result of the conversion. */
export interface Conversion {
  templates: { alias: string; name: string; left: number }[];
  left: LeftPlace[];
}

/**
 * Translates exported templates of another product into a folder for `posthaste import`.
 *
 * @throws {Error} If the target holds files already, or a folder cannot be read or written.
 */
export async function convertTemplates(
  { product, folder, target }: ConvertOptions,
): Promise<Conversion> {
  const found = await readForeignTemplates(folder);
  await mkdir(target, { recursive: true });
  if ((await readdir(target)).length > 0) {
    throw new Error(`Cannot write to "${target}": it is not empty`);
  }
  const conversion: Conversion = { templates: [], left: [] };
  const aliases = new Set<string>();
  for (const template of found) {
    if (isMjmlPart(template.html)) {
      conversion.left.push(leftPart(template.html));
      continue;
    }
    const alias = freeAlias(template.name, aliases);
    const before = conversion.left.length;
    const translate = (part: TemplatePart, { file, text }: ForeignPart) => {
      const translated = translateTemplate(text, { product, part });
      conversion.left.push(...translated.untranslated.map((one) => ({ file, ...one })));
      return translated.text;
    };
    await writeTemplate(join(target, "email", alias), template, translate);
    const left = conversion.left.length - before;
    conversion.templates.push({ alias, name: template.name, left });
  }
  return conversion;
}

/** Returns whether a file has MJML that others include. */
function isMjmlPart({ file, text }: ForeignPart): boolean {
  return /\.mjml$/i.test(file) && !isMjml(text);
}

function leftPart({ file, text }: ForeignPart): LeftPlace {
  const [first = ""] = /\S[^\n>]{0,40}>?/.exec(text) ?? [];
  const why = "has no <mjml>: make a partial of it, and include that with {{> name}}";
  return { file, line: 1, column: 1, text: first, why };
}

type Translate = (part: TemplatePart, given: ForeignPart) => string;

async function writeTemplate(
  folder: string,
  { name, subject, html, text }: ForeignTemplate,
  translate: Translate,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const body = translate("html", html);
  const files = {
    "template.json": `${JSON.stringify({ name: oneLine(name) }, null, 2)}\n`,
    "subject.hbs": `${
      subject === undefined ? oneLine(name) : oneLine(translate("subject", subject))
    }\n`,
    [isMjml(body) ? "body.mjml" : "body.html.hbs"]: body,
    ...(text === undefined ? {} : { "text.txt.hbs": translate("text", text) }),
  };
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(folder, file), content, { flag: "wx" });
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 200);
}

/** Returns a unique alias made of a name: lower case, digits and dashes. */
function freeAlias(name: string, taken: Set<string>): string {
  const words = name.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-+$/g, "").slice(0, 50);
  const base = words === "" ? "template" : words;
  for (let n = 1;; n++) {
    const alias = n === 1 ? base : `${base}-${n}`;
    if (taken.has(alias)) continue;
    taken.add(alias);
    return alias;
  }
}
