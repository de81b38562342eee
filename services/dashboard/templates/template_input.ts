import {
  aliasSchema,
  type BodySource,
  type DraftSource,
  emailAddressSchema,
  localeSchema,
  pageOptionsSchema,
  type TemplateKind,
  variableDeclarationSchema,
  variablesSchema,
  variantFault,
  variantsSchema,
} from "@posthaste/contracts";
import { z } from "zod";

const SAMPLE_BYTES = 200_000;
const DECLARATION_BYTES = 100_000;

// deno-lint-ignore no-control-regex
const CONTROL = /[\u{0}-\u{1f}\u{7f}-\u{9f}\u{2028}\u{2029}]/u;

const lineSchema = z.string().trim().min(1, { error: "must not be empty" })
  .max(200, { error: "must not exceed 200 characters" })
  .refine((text) => !CONTROL.test(text), { error: "must be one line" });

const sampleSchema = variablesSchema.refine((sample) => sizeOf(sample) <= SAMPLE_BYTES, {
  error: `must not exceed ${SAMPLE_BYTES / 1000} KB`,
});

const declarationsSchema = z.array(variableDeclarationSchema).max(500)
  .refine((variables) => sizeOf(variables) <= DECLARATION_BYTES, {
    error: `must not exceed ${DECLARATION_BYTES / 1000} KB`,
  })
  .superRefine((variables, context) => {
    const seen = new Set<string>();
    for (const [index, declaration] of variables.entries()) {
      const { name } = declaration;
      const report = (field: string, message: string) =>
        context.addIssue({ code: "custom", path: [index, field], message });
      if (seen.has(name)) report("name", `declares "${name}" twice`);
      if (!isStorable(declaration.default)) report("default", "has a name that cannot be stored");
      seen.add(name);
    }
  });

/** Largest body with a template in it, in bytes. */
export const TEMPLATE_BODY_LIMIT = 5_000_000;

const bodySchema = z.strictObject({
  subject: z.string().max(10_000),
  html: z.string().max(1_000_000),
  text: z.string().max(500_000),
  filename: z.string().max(1_000),
  invoice: z.string().max(1_000_000).optional(),
});

/** Accepted sources: larger than what may be published, so that an author can save and then shorten. */
export const sourceSchema = bodySchema.extend({
  variants: variantsSchema(bodySchema).optional(),
  variables: declarationsSchema,
  locale: localeSchema,
  page: pageOptionsSchema.nullable(),
  sample: sampleSchema,
}).superRefine((source, context) => {
  const message = variantFault(source);
  if (message !== undefined) context.addIssue({ code: "custom", path: ["variants"], message });
});

/** Body of a request for a new template. */
export const newTemplateSchema = z.strictObject({
  name: lineSchema,
  alias: aliasSchema.nullish(),
  example: z.string().max(100).optional(),
});

/** Body of a change of a template's name or alias. */
export const renamingSchema = z.strictObject({
  name: lineSchema.optional(),
  alias: aliasSchema.nullable().optional(),
});

/** Body of a request for a copy. */
export const copySchema = z.strictObject({ name: lineSchema });

/** Body of a request that names a revision. */
export const revisionSchema = z.strictObject({ revision: z.int().positive() });

/** Body of a request that names a version. */
export const versionSchema = z.strictObject({ version: z.int().positive() });

/** Body of a changed draft. */
export const draftChangeSchema = z.strictObject({
  revision: z.int().positive(),
  source: sourceSchema,
});

/** Body of a request for a preview. */
export const previewSchema = z.strictObject({
  editor: z.string().max(50).default(""),
  source: sourceSchema,
  locale: localeSchema.optional(),
});

/** Body of a request for a test mail. */
export const testSchema = z.strictObject({
  revision: z.int().positive(),
  integrationId: z.int().positive(),
  sender: emailAddressSchema,
  to: emailAddressSchema,
  variables: sampleSchema,
  locale: localeSchema.optional(),
  attachments: z.array(z.int().positive()).max(10).optional(),
});

/** A request for a test mail. */
export type TestWish = z.infer<typeof testSchema>;

/** Removes the fields that its kind does not have from a source, and adds the page that it needs. */
export function sourceFor(kind: TemplateKind, source: DraftSource): DraftSource {
  const { variants = {}, variables, locale, page: given, sample } = source;
  const page = kind === "email" ? null : given ?? pageOptionsSchema.parse({});
  const bodies = Object.entries(variants).map(([tag, body]) => [tag, bodyFor(kind, body)]);
  return {
    ...bodyFor(kind, source),
    ...(bodies.length === 0 ? {} : { variants: Object.fromEntries(bodies) }),
    ...{ variables, locale, page, sample },
  };
}

function bodyFor(kind: TemplateKind, body: BodySource): BodySource {
  const { subject, html, text, filename, invoice = "" } = body;
  if (kind === "email") return { subject, html, text, filename: "" };
  // An empty invoice is none.
  const xml = invoice.trim() === "" ? {} : { invoice };
  return { subject: "", html, text: "", filename, ...xml };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Returns whether a value can be stored: a version is stored as it is, and the database gives some
 * names a meaning.
 */
function isStorable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, item]) =>
    !name.startsWith("$") && !name.includes("\0") && !/^(?:_bsontype|__proto__)$/.test(name) &&
    isStorable(item)
  );
}
