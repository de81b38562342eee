import {
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
    .map((path) => path.slice(path.lastIndexOf("/") + 1)).sort();
}

function emailFiles(name: string, source: DraftSource): Record<string, string> {
  const { subject, html, text, locale, variables } = source;
  return {
    "template.json": jsonOf({ name, locale, variables: variables.map(declarationOf) }),
    "subject.hbs": subject,
    [isMjml(html) ? "body.mjml" : "body.html.hbs"]: html,
    ...(text.trim() === "" ? {} : { "text.txt.hbs": text }),
  };
}

function pdfFiles(name: string, source: DraftSource): Record<string, string> {
  const { html, filename, invoice, locale, variables } = source;
  const page = inOrder(pageOptionsSchema, source.page ?? {});
  const settings = { name, locale, filename, page, variables: variables.map(declarationOf) };
  const files = { "template.json": jsonOf(settings), "body.html.hbs": html };
  return invoice === undefined ? files : { ...files, "invoice.xml": invoice };
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
