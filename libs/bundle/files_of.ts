import {
  type BodySource,
  type DraftSource,
  pageOptionsSchema,
  type TemplateKind,
  variableDeclarationSchema,
} from "@posthaste/contracts";
import { isMjml } from "@posthaste/templating";
import type { z } from "zod";

/** A template with all data of its files. */
export interface NamedSource {
  kind: TemplateKind;
  alias: string;
  name: string;
  source: DraftSource;
}

/**
 * Writes a template as files, by their paths. The same template always results in the same texts, whatever
 * its origin.
 */
export function filesOf({ kind, alias, name, source }: NamedSource): Record<string, string> {
  const files = kind === "email" ? emailFiles(name, source) : pdfFiles(name, source);
  if (Object.keys(source.sample).length > 0) files["sample.json"] = jsonOf(source.sample);
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      `${kind}/${alias}/${file}`,
      // As files are read: the same template checked out under Windows is the same.
      text.replaceAll("\r\n", "\n"),
    ]),
  );
}

/** Returns the names of the files in which two templates of one kind and alias differ. */
export function differingFiles(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] {
  const paths = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return paths.filter((path) => one[path] !== other[path])
    .map((path) => path.split("/").slice(2).join("/")).sort();
}

function emailFiles(name: string, source: DraftSource): Record<string, string> {
  const { locale, variables } = source;
  return {
    "template.json": jsonOf({ name, locale, variables: variables.map(declarationOf) }),
    ...emailBody(source),
    ...variantFiles(source, emailBody),
  };
}

function emailBody({ subject, html, text }: BodySource): Record<string, string> {
  return {
    "subject.hbs": subject,
    [isMjml(html) ? "body.mjml" : "body.html.hbs"]: html,
    ...(text.trim() === "" ? {} : { "text.txt.hbs": text }),
  };
}

function pdfFiles(name: string, source: DraftSource): Record<string, string> {
  const { filename, locale, variables } = source;
  const page = inOrder(pageOptionsSchema, source.page ?? {});
  const settings = { name, locale, filename, page, variables: variables.map(declarationOf) };
  return {
    "template.json": jsonOf(settings),
    ...pdfBody(source),
    ...variantFiles(source, (body) => ({
      ...pdfBody(body),
      ...(body.filename === filename ? {} : { "filename.hbs": `${body.filename}\n` }),
    })),
  };
}

function pdfBody({ html, invoice }: BodySource): Record<string, string> {
  return { "body.html.hbs": html, ...(invoice === undefined ? {} : { "invoice.xml": invoice }) };
}

/** Returns the files of language variants, each in a folder named by its tag. */
function variantFiles(
  { variants = {} }: DraftSource,
  filesOfBody: (body: BodySource) => Record<string, string>,
): Record<string, string> {
  const files: Record<string, string> = {};
  for (const tag of Object.keys(variants).sort()) {
    const body = variants[tag];
    if (body === undefined) continue;
    for (const [file, text] of Object.entries(filesOfBody(body))) files[`${tag}/${file}`] = text;
  }
  return files;
}

function declarationOf(declaration: DraftSource["variables"][number]): unknown {
  return inOrder(variableDeclarationSchema, declaration);
}

/** Orders fields as in the schema. Unknown fields, of a later version, stay as they are. */
function inOrder(schema: z.ZodType, value: unknown): unknown {
  const { data, success } = schema.safeParse(value);
  return success ? data : value;
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
