import {
  localeSchema,
  type PageOptions,
  pageOptionsSchema,
  type VariableDeclaration,
  variableDeclarationSchema,
} from "@posthaste/contracts";
import { z } from "zod";
import { type JsonDocument, MAX_FAULTS, type PlacedFault } from "./json_document.ts";

// deno-lint-ignore no-control-regex
const CONTROL = /[\u{0}-\u{1f}\u{7f}-\u{9f}\u{2028}\u{2029}]/u;

const lineSchema = z.string().min(1, { error: "must not be empty" })
  .max(200, { error: "must not exceed 200 characters" })
  .refine((text) => !CONTROL.test(text), { error: "must be one line" });

/** As many as a template can have placeholders. */
const MAX_VARIABLES = 5_000;

const declarationsSchema = z.array(variableDeclarationSchema).superRefine((variables, context) => {
  const seen = new Set<string>();
  for (const [index, { name }] of variables.entries()) {
    if (seen.has(name)) {
      const message = `declares "${name}" twice`;
      context.addIssue({ code: "custom", path: [index, "name"], message });
    }
    seen.add(name);
  }
});

/** Of more, none is looked at: each takes far longer than to count it. */
const variablesSchema = z.array(z.unknown()).max(MAX_VARIABLES, {
  error: `must not have more than ${MAX_VARIABLES} items`,
  abort: true,
}).pipe(declarationsSchema);

const shared = {
  name: lineSchema,
  locale: localeSchema.default("en"),
  variables: variablesSchema.default([]),
};

const SCHEMAS = {
  email: z.strictObject(shared),
  pdf: z.strictObject({ ...shared, filename: lineSchema, page: pageOptionsSchema.prefault({}) }),
};

/** The settings of an email template in `template.json`, with defaults filled in. */
export interface EmailSettings {
  name: string;
  /** BCP 47 tag. */
  locale: string;
  variables: VariableDeclaration[];
}

/** The settings of a PDF template in `template.json`, with defaults filled in. */
export interface PdfSettings extends EmailSettings {
  /** A template for the name of the file. */
  filename: string;
  page: PageOptions;
}

/** The settings of a kind of template. */
export interface SettingsOf {
  email: EmailSettings;
  pdf: PdfSettings;
}

/** Reads `template.json`. Returns the settings, or its first faults with their places. */
export function readTemplateSettings<K extends keyof SettingsOf>(
  kind: K,
  document: JsonDocument,
): { settings: SettingsOf[K] | undefined; faults: PlacedFault[] } {
  const result = SCHEMAS[kind].safeParse(document.value);
  if (result.success) return { settings: result.data as SettingsOf[K], faults: [] };
  return {
    settings: undefined,
    faults: result.error.issues.slice(0, MAX_FAULTS)
      .flatMap((issue) => describeIssue(issue, document)).slice(0, MAX_FAULTS),
  };
}

function describeIssue(issue: z.core.$ZodIssue, document: JsonDocument): PlacedFault[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({
      ...document.placeOfKey(path, key),
      message: `unknown key ${quote([...path, key])}`,
    }));
  }
  const isMissing = issue.code === "invalid_type" && !isThere(document.value, path);
  const reason = isMissing ? "is missing" : issue.message.replace(/^Invalid \w+: /, "");
  const message = path.length === 0 ? `the file: ${reason}` : `${quote(path)}: ${reason}`;
  return [{
    ...document.placeOf(path),
    message: isMissing ? `${quote(path)} is missing` : message,
  }];
}

function quote(path: readonly PropertyKey[]): string {
  return `"${path.map(String).join(".")}"`;
}

function isThere(value: unknown, path: readonly PropertyKey[]): boolean {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return true;
}
